/** This page and the relay do not fit any more. Nothing is lost by reloading, and it says so. */
import { createSignal, Show } from 'solid-js'
import { Icon } from '#web/ui/icon.tsx'
import { chunkGone, rememberReload } from './platform/chunk-gone.ts'

export function Outdated() {
  const [silent, setSilent] = createSignal(false)
  const words = (): string => {
    if (silent()) return 'The relay does not answer, so a reload would not help yet.'
    if (chunkGone() === 'in_vain') return 'A part of this page is still missing. Close all tabs of this page and open it again.'
    return chunkGone() ? 'A part of this page could not be loaded. The relay may have been updated.' : 'The relay was updated and this page is too old for it.'
  }
  /** Not a plain reload: a service worker would answer it with this same page, and without one a relay that is away leaves nothing. */
  async function reload(): Promise<void> {
    const isThere = await fetch('/relay/health').then(() => true, () => false)
    setSilent(!isThere && !navigator.serviceWorker?.controller)
    if (silent()) return
    if (chunkGone()) rememberReload()
    await import('./platform/service-worker.ts').then((worker) => worker.reloadFresh(), () => location.reload())
  }
  return (
    <div class="strip-line off" role="alert">
      <Icon name="refresh-cw" /><span>{words()} Drafts and unsent messages stay.</span>
      <Show when={chunkGone() !== 'in_vain'}><button type="button" class="btn s p" onClick={() => void reload()}>Reload</button></Show>
    </div>
  )
}
