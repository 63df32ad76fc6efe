/** The relay is newer than this page. Nothing is lost by reloading, and it says so. */
import { Icon } from '#web/ui/icon.tsx'

export const Outdated = () => (
  <div class="strip-line off" role="alert">
    <Icon name="refresh-cw" /><span>The relay was updated and this page is too old for it. Drafts and unsent messages stay.</span>
    <button type="button" class="btn s p" onClick={() => location.reload()}>Reload</button>
  </div>
)
