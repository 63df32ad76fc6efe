/** A new version is ready: said quietly, taken when the person says so. Also what needs a signed-in page but no first paint: badge and durable storage. */
import { createEffect, createMemo, onCleanup, Show } from 'solid-js'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import { applyUpdate, checkForUpdate, offer, putUpdateOff } from './platform/service-worker.ts'
import { hasUnsavedEdit } from './platform/unsaved-edit.ts'

export default function UpdateStrip() {
  const { link, outbox, toast } = useServices()
  const apply = (): void => { if (hasUnsavedEdit()) toast.show('Send or clear what you are writing first: a reload would lose it.'); else applyUpdate() }
  const isRunning = (): boolean => link.activity().some((one) => one.state === 'running' || one.state === 'asking')
  onCleanup(link.onLink((up) => { if (up) void checkForUpdate() }))
  const asking = createMemo(() => link.activity().filter((one) => one.state === 'asking').length)
  createEffect(() => setBadge(asking()))
  onCleanup(() => setBadge(0))
  let isAsked = false
  createEffect(() => {
    if (isAsked || outbox.state().entries.length === 0) return
    isAsked = true
    void navigator.storage?.persist?.().catch(() => false) // From the first message on there is something to lose.
  })
  return (
    <Show when={offer()}>
      <div class="strip-line" role="status">
        <Icon name="refresh-cw" /><span>A new version is ready. {isRunning() ? 'It can wait; the agent goes on either way.' : 'Drafts stay.'}</span>
        <button type="button" class="btn s p" onClick={apply}>Reload</button>
        <button type="button" class="icon" aria-label="Later" title="Later" onClick={putUpdateOff}><Icon name="x" /></button>
      </div>
    </Show>
  )
}

/** On the icon of the installed app. */
function setBadge(count: number): void {
  if (!('setAppBadge' in navigator)) return
  void (count > 0 ? navigator.setAppBadge(count) : navigator.clearAppBadge()).catch(() => undefined)
}
