/** Whether this browser may call the person, and what to do when it may not. */
import { createSignal, Match, Switch } from 'solid-js'
import { askNotify, chime, notifyState, prepareSound } from '#web/platform/attention.ts'
import { Button } from '#web/ui/button.tsx'
import { Badge, ListRow } from '#web/ui/parts.tsx'

const HINTS = {
  on: 'When a question waits and this page is not in sight.', ask: 'When a question waits and this page is not in sight. The browser asks you once.',
  blocked: 'The browser does not allow them for this page. Change it in the settings of the site, beside the address.', absent: 'They need https, or a page opened on the machine itself.',
} as const

export function Notifications() {
  const [state, setState] = createSignal(notifyState())
  prepareSound()
  return (
    <section class="card" aria-label="Notifications">
      <ListRow title="Notifications" hint={HINTS[state()]}>
        <Switch>
          <Match when={state() === 'on'}><Badge tone="ok">on</Badge></Match>
          <Match when={state() === 'ask'}><Button onClick={() => void askNotify().then(setState)}>Allow</Button></Match>
          <Match when={state() === 'blocked'}><Badge tone="warn">blocked</Badge></Match>
          <Match when={state() === 'absent'}><Badge>not here</Badge></Match>
        </Switch>
      </ListRow>
      <ListRow title="Sound" hint="Two soft notes, at the same moments."><Button small onClick={chime}>Play</Button></ListRow>
      <ListRow title="Title of the window" hint="The number of questions that wait stands in it."><Badge tone="ok">on</Badge></ListRow>
    </section>
  )
}
