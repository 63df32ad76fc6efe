/** This page and the relay do not fit any more. Nothing is lost by reloading, and it says so. */
import { Show } from 'solid-js'
import { Icon } from '#web/ui/icon.tsx'
import { chunkGone, rememberReload } from './platform/chunk-gone.ts'

/** Not a plain reload: the service worker would answer it with this same page. */
function reload(): void {
  if (chunkGone()) rememberReload()
  void import('./platform/service-worker.ts').then((worker) => worker.reloadFresh(), () => location.reload())
}

export const Outdated = () => (
  <div class="strip-line off" role="alert">
    <Icon name="refresh-cw" />
    <span>{chunkGone() === null ? 'The relay was updated and this page is too old for it.' : chunkGone() === 'offer' ? 'A part of this page could not be loaded. The relay may have been updated.' : 'A part of this page is still missing. Is the relay running? Close all tabs of this page and open it again.'} Drafts and unsent messages stay.</span>
    <Show when={chunkGone() !== 'in_vain'}><button type="button" class="btn s p" onClick={reload}>Reload</button></Show>
  </div>
)
