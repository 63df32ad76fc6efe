/** Who controls whom, in one line: newcomers ask exactly that. */
import { Icon } from '#web/ui/icon.tsx'

export const WhoControlsWhom = () => (
  <ul class="dia" aria-label="Who controls whom">
    <li><div class="node"><Icon name="smartphone" /><b>This browser</b>asks and approves</div></li>
    <li><span class="arrow" aria-hidden="true"><Icon name="arrow-right" /></span><span class="sr">controls, through</span></li>
    <li><div class="node"><Icon name="shield-check" /><b>Relay</b>guards the door</div></li>
    <li><span class="arrow" aria-hidden="true"><Icon name="arrow-right" /></span><span class="sr">, the agent</span></li>
    <li><div class="node"><Icon name="bot" /><b>Hermes</b>does the work</div></li>
  </ul>
)
