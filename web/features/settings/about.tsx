/** What runs on the other side, for a question or a report. */
import { Show } from 'solid-js'
import { useServices } from '#web/state/services.ts'
import { Badge, ListRow } from '#web/ui/parts.tsx'

export function About() {
  const { link } = useServices()
  const welcome = () => link.welcome()
  return (
    <section class="card" aria-label="About">
      <ListRow title="Hermes Relay" hint="Reaches the agent on your own machine from this browser. Nothing goes through anybody else."><span class="facts">{welcome()?.server_version ?? ''}</span></ListRow>
      <ListRow title="Hermes" hint={welcome()?.hermes.demo ? 'The built-in demo. It follows a script and cannot think.' : 'The agent that answers.'}><Show when={welcome()?.hermes.demo} fallback={<span class="facts">{welcome()?.hermes.version ?? ''}</span>}><Badge tone="warn">demo</Badge></Show></ListRow>
      <ListRow title="Machine" hint="Where both run."><span class="facts">{welcome()?.host_name ?? ''}</span></ListRow>
    </section>
  )
}
