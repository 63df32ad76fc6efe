/** What this browser is to the relay, what it keeps, and how to end it. */
import { createResource, createSignal, Show } from 'solid-js'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Button } from '#web/ui/button.tsx'
import { Badge, ListRow } from '#web/ui/parts.tsx'
import { Sheet } from '#web/ui/sheet.tsx'
import { megabytes } from './megabytes.ts'

export function ThisBrowser() {
  const { credentials, storage, signOut, base } = useServices()
  const facts = useRelayFacts()
  const [device] = createResource(() => credentials.read().catch(() => null))
  const [room, { refetch }] = createResource(async () => ({ ...(await navigator.storage?.estimate?.().catch(() => undefined)), isKept: (await navigator.storage?.persisted?.().catch(() => undefined)) ?? null }))
  const [asking, setAsking] = createSignal(false)
  const [leaving, setLeaving] = createSignal(false)
  const until = (): string => { const atMs = device.latest?.expiresAtMs; return atMs ? new Date(atMs).toLocaleDateString([], { year: 'numeric', month: 'long', day: 'numeric' }) : 'you sign out' }
  const host = (): string => facts.host() ?? 'the relay'
  const keep = async (): Promise<void> => { await navigator.storage?.persist?.().catch(() => false); await refetch() }
  const part = (): number => (room.latest?.usage ?? 0) / Math.max(1, room.latest?.quota ?? 1)
  return (
    <>
      <section class="card" aria-label="Signed in">
        <ListRow title={host()} hint={<span class="mono">{base.replace(/^https?:\/\//, '')}</span>} lead={<span class="avatar" aria-hidden="true">{host().slice(0, 1).toUpperCase()}</span>}><Badge tone="ok">signed in</Badge></ListRow>
        <ListRow title="Called" hint="In the list of devices."><span class="facts">{device.latest?.deviceName ?? ''}</span></ListRow>
        <ListRow title="Signed in until" hint="Each use moves it on."><span class="facts">{until()}</span></ListRow>
        <ListRow title="Sign out" hint="Ends its access at once. Unsent drafts stay in this browser."><Button kind="danger" icon="log-out" onClick={() => setAsking(true)}>Sign out</Button></ListRow>
      </section>
      <section class="card" aria-label="Kept here">
        <Show when={storage.durable} fallback={<ListRow title="Nothing is kept" hint="This browser forbids storage, as private windows do. Drafts live as long as this tab."><Badge tone="warn">private</Badge></ListRow>}>
          <ListRow title="Storage" hint={<>Drafts, unsent messages and the last conversations.<Show when={room.latest?.quota}><span class="storage-bar" aria-hidden="true"><i style={{ width: `${Math.min(100, part() * 100)}%` }} /></span></Show></>}><span class="facts">{room.latest?.usage === undefined ? '' : `${megabytes(room.latest.usage)} of ${megabytes(room.latest.quota ?? 0)}`}</span></ListRow>
          <ListRow title="Protected from clearing" hint={room.latest?.isKept ? 'The browser does not clear it when room is short.' : 'The browser may clear it when room is short.'}>
            <Show when={room.latest?.isKept} fallback={<Button small disabled={room.latest?.isKept === null} onClick={() => void keep()}>Protect</Button>}><Badge tone="ok">yes</Badge></Show>
          </ListRow>
        </Show>
      </section>
      <Sheet open={asking()} title={`Sign out of ${host()}?`} onClose={() => setAsking(false)} foot={<><button type="button" class="btn" data-first onClick={() => setAsking(false)}>Cancel</button><Button kind="danger" busy={leaving()} onClick={() => { setLeaving(true); void signOut() }}>Sign out</Button></>}>
        <p class="sub">This browser loses its access at once. To come back it needs a new code from the machine, or from another device.</p>
      </Sheet>
    </>
  )
}
