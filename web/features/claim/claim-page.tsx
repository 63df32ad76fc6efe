/** Makes this browser a device of the relay: by the code of the opened link, or by a typed one. Says who controls whom. */
import './claim.css'
import { createSignal, onMount, Show } from 'solid-js'
import { authOnce } from '#web/net/relay/auth-once.ts'
import type { Credentials } from '#web/net/relay/credentials.ts'
import { deviceName } from '#web/platform/presence.ts'
import type { DeviceRecord } from '#web/storage/page-storage.ts'
import { Icon } from '#web/ui/icon.tsx'
import { WhoControlsWhom } from './who-controls-whom.tsx'

type Words = { say: string; next: string }
type Props = { base: string; code: string | null; known: DeviceRecord | null; why: Words | null; durable: boolean; credentials: Credentials; onClaimed(device: DeviceRecord): void }

export const CODE_LENGTH = 6
const cleanCode = (text: string): string => text.toUpperCase().replace(/[^0-9A-Z]/g, '').slice(0, CODE_LENGTH)

export function ClaimPage(props: Props) {
  const [code, setCode] = createSignal(props.code ?? '')
  const [busy, setBusy] = createSignal(false)
  const [failure, setFailure] = createSignal<Words | null>(props.why)
  let input: HTMLInputElement | undefined

  async function claim(): Promise<void> {
    if (code().length !== CODE_LENGTH || busy()) return
    setBusy(true)
    setFailure(null)
    const result = await authOnce(props.base, {
      pairing_code: code(), device_name: deviceName(), device_platform: 'web', device_form_factor: innerWidth < 760 ? 'phone' : 'desktop', ...(props.known ? { device_id: props.known.deviceId } : {}),
    })
    setBusy(false)
    if (result.kind === 'ok') {
      try {
        props.onClaimed(await props.credentials.keep(result.auth))
      } catch {
        setFailure({ say: 'This browser does not let the page remember anything.', next: 'Leave private mode or allow site data, then use a new code.' })
      }
      return
    }
    // A stale link must not sign out a browser that is already a device.
    if (props.known && props.code === code() && result.kind === 'fail') return props.onClaimed(props.known)
    setFailure(result.kind === 'fail' ? result.fail : { say: 'The relay does not answer.', next: 'Check that it runs and that this device reaches it, then try again.' })
    setCode(result.kind === 'fail' ? '' : code())
    queueMicrotask(() => input?.focus())
  }
  onMount(() => { if (props.code) void claim() })

  return (
    <main class="center">
      <div class="door">
        <div class="l">
          <span class="logo" />
          <h1>Let this browser work with your Hermes</h1>
          <p class="lead">It reaches the agent through the relay on your own machine. Nothing passes through anyone else.</p>
          <WhoControlsWhom />
          <Granted />
        </div>
        <div class="r">
          <form onSubmit={(event) => { event.preventDefault(); void claim() }}>
            <h2 id="code-label">Type the code of the relay</h2>
            <input
              ref={(el) => { input = el }} class="code-in" value={code()} onInput={(event) => { const clean = cleanCode(event.currentTarget.value); event.currentTarget.value = clean; setCode(clean) }}
              aria-labelledby="code-label" aria-describedby="code-hint" autocomplete="one-time-code" autocapitalize="characters" spellcheck={false} inputmode="text" placeholder="······" autofocus={!props.code}
            />
            <div role="alert"><Show when={failure()}>{(words) => <div class="claim-err"><b>{words().say}</b>{words().next}</div>}</Show></div>
            <Show when={!props.durable}><div class="claim-err"><b>This browser forgets everything when it closes.</b>Leave private mode to stay signed in.</div></Show>
            <button type="submit" class="btn p" disabled={code().length !== CODE_LENGTH || busy()}>
              <Show when={busy()}><span class="spin" /></Show>{busy() ? 'Connecting' : 'Pair for 30 days'}
            </button>
          </form>
          <p class="hint" id="code-hint">The relay prints a link and a six-character code when it starts. For a new one, press Enter in its terminal, or choose “Add a device” in a page that is signed in.</p>
        </div>
      </div>
    </main>
  )
}

const Granted = () => (
  <div>
    <div class="perm"><Icon name="message-circle" /><div class="m">Chat and conversations<small>Read, write, rename, delete</small></div><span class="badge ok">30 days</span></div>
    <div class="perm"><Icon name="shield-check" /><div class="m">Answer the agent’s questions<small>An approval runs a command on that machine</small></div><span class="badge ok">30 days</span></div>
    <div class="perm"><Icon name="users" /><div class="m">Add and remove devices<small>Every device can be signed out from any other</small></div><span class="badge ok">30 days</span></div>
  </div>
)
