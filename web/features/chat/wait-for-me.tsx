/** "Wait 30 minutes for me": a question on a phone is lost before it is seen, so the wait can be made longer, and shorter again. */
import { createResource, Show } from 'solid-js'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'

export const WAIT_LONG_S = 1_800
const WAIT_DEFAULT_S = 60
const KEY = 'approvalTimeoutBefore'

export function WaitForMe() {
  const { dashboard, storage, toast } = useServices()
  const [config, { mutate }] = createResource(() => dashboard.approvals())
  const on = (): boolean => (config()?.timeoutS ?? 0) >= WAIT_LONG_S
  async function toggle(): Promise<void> {
    const before = config()
    if (!before) return
    const kept = await storage.settings.get(KEY).catch(() => null)
    const next = on() ? (typeof kept?.value === 'number' ? kept.value : WAIT_DEFAULT_S) : WAIT_LONG_S
    const answer = await dashboard.setApprovalTimeout(next)
    if (!answer.ok) { toast.show(`${answer.failure.say} ${answer.failure.next}`); return }
    if (next === WAIT_LONG_S) await storage.settings.put(KEY, { value: before.timeoutS ?? WAIT_DEFAULT_S }).catch(() => undefined)
    mutate({ ...before, timeoutS: next })
    toast.show(next === WAIT_LONG_S ? 'From its next question on, the agent waits 30 minutes.' : `The agent waits ${next} seconds again.`)
  }
  return (
    <Show when={config()}>
      <button type="button" class="pill" classList={{ on: on() }} aria-pressed={on() ? 'true' : 'false'} onClick={() => void toggle()}><Icon name="clock" /><span>{on() ? 'Waits 30 minutes for me' : 'Wait 30 minutes for me'}</span></button>
    </Show>
  )
}
