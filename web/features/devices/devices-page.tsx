/** Who may use this relay: the list, a way to add one, a way to end each, and this browser's own sign-out. */
import '#web/ui/page.css'
import './devices.css'
import { createEffect, createMemo, createResource, createSignal, For, on, onCleanup, Show } from 'solid-js'
import { isVisible } from '#web/platform/presence.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import { shortWhen } from '#web/ui/when.ts'
import { type Device, type FreshCode, newcomer, parseDevices, parseFreshCode } from './device-answer.ts'

/** While a code waits for its device the list is read this often, in ms. */
const LOOK_EVERY_MS = 5_000

export default function DevicesPage(props: { onMenu(): void }) {
  const { call, toast, link, signOut } = useServices()
  const facts = useRelayFacts()
  const [fresh, setFresh] = createSignal<FreshCode | null>(null)
  const [devices, { refetch }] = createResource(async () => {
    const answer = await call('/relay/devices')
    return answer.ok ? { devices: parseDevices(answer.body), failure: null } : { devices: [], failure: answer.failure }
  })
  /** Devices that were there when the code was made; null when there is no code, or the list could not be read. */
  const [before, setBefore] = createSignal<readonly string[] | null>(null)
  const usedBy = createMemo(() => newcomer(before(), devices.latest?.devices ?? []))
  const look = (): void => { if (isVisible()) void refetch() }
  window.addEventListener('focus', look)
  document.addEventListener('visibilitychange', look)
  onCleanup(() => { window.removeEventListener('focus', look); document.removeEventListener('visibilitychange', look) })
  createEffect(on(() => fresh() !== null && usedBy() === null, (waiting) => {
    if (!waiting) return
    const timer = setInterval(look, LOOK_EVERY_MS)
    onCleanup(() => clearInterval(timer))
  }))
  const own = (device: Device): boolean => device.deviceId === link.welcome()?.device_id
  async function revoke(device: Device): Promise<void> {
    if (!window.confirm(`Sign out ${device.name}? It loses its access at once.`)) return
    const answer = await call(`/relay/devices/${encodeURIComponent(device.deviceId)}`, { method: 'DELETE' })
    toast.show(answer.ok ? `${device.name} is signed out` : `${answer.failure.say} ${answer.failure.next}`)
    void refetch()
  }
  async function addDevice(): Promise<void> {
    const known = await refetch() // Who came before the code was made did not use it.
    const answer = await call('/relay/devices/code', { method: 'POST', body: {} })
    const code = answer.ok ? parseFreshCode(answer.body, `${location.origin}${import.meta.env.BASE_URL}`) : null
    if (code) { setBefore(known && !known.failure ? known.devices.map((device) => device.deviceId) : null); setFresh(code) }
    else toast.show(answer.ok ? 'The relay gave no code.' : `${answer.failure.say} ${answer.failure.next}`)
  }
  const describe = (device: Device): string => [own(device) ? 'this browser' : '', device.lastSeenAtMs ? `seen ${shortWhen(device.lastSeenAtMs, Date.now())}` : '', device.grants.includes('admin') ? 'full access' : `may: ${device.grants.join(', ') || 'nothing'}`].filter(Boolean).join(' · ')
  return (
    <div class="page-scroll">
      <Show when={facts.hermes()?.demo}><div class="strip-line demo"><Icon name="flask-conical" /><span>You are talking to the built-in demo. It follows a script and cannot think.</span></div></Show>
      <div class="body">
        <div class="top"><button type="button" class="icon menu" aria-label="Menu" onClick={() => props.onMenu()}><Icon name="menu" /></button><h1>Devices</h1></div>
        <p class="sub">Browsers that may use the agent on {facts.host() ?? 'this relay'}.</p>
        <section class="card" aria-label="Devices">
          <div class="head"><h2>Signed in</h2><button type="button" class="btn p" onClick={() => void addDevice()}><Icon name="plus" />Add a device</button></div>
          <Show when={fresh()}>{(code) => <Show when={usedBy()} fallback={<FreshCodeView code={code()} />}>{(device) => <p class="li" role="status">Used by {device().name}</p>}</Show>}</Show>
          <Show when={devices.latest?.failure}>{(failure) => <p class="li">{failure().say} {failure().next}</p>}</Show>
          <ul><For each={devices.latest?.devices ?? []}>{(device) => (
            <li class="li">
              <Icon name="smartphone" />
              <div class="m"><b>{device.name}</b><small>{describe(device)}</small></div>
              <Show when={own(device)} fallback={<button type="button" class="btn s d" onClick={() => void revoke(device)}>Sign out<span class="sr"> {device.name}</span></button>}><span class="badge ok">you</span></Show>
            </li>
          )}</For></ul>
        </section>
        <section class="card" aria-label="This browser">
          <div class="head"><h2>This browser</h2><button type="button" class="btn d" onClick={() => void signOut()}><Icon name="log-out" />Sign out</button></div>
          <p class="li"><small>Signing out ends its access at once. Unsent drafts stay in this browser.</small></p>
        </section>
      </div>
    </div>
  )
}

function FreshCodeView(props: { code: FreshCode }) {
  const { toast } = useServices()
  const copy = (): void => {
    // No clipboard on plain LAN http (ruling 17): the link can be selected.
    if (navigator.clipboard) void navigator.clipboard.writeText(props.code.url).then(() => toast.show('Link copied'))
    else toast.show('Copying needs https. Select the link instead.')
  }
  return (
    <div class="fresh-code" role="status">
      {/* One word for programs, two groups for the eye. */}
      <div class="code"><span>{props.code.code.slice(0, 3)}</span><i aria-hidden="true" /><span>{props.code.code.slice(3)}</span></div>
      <p>Works once, for ten minutes. Open this link on the other device, or type the code there.</p>
      <div class="url">{props.code.url}</div>
      <button type="button" class="btn s" onClick={copy}><Icon name="copy" />Copy link</button>
    </div>
  )
}
