/** What runs on the other side, for a question or a report. */
import { Show } from 'solid-js'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { Badge, ListRow } from '#web/ui/parts.tsx'

export function About() {
  const { link } = useServices()
  const facts = useRelayFacts()
  return (
    <section class="card" aria-label="About">
      <ListRow title="Hermes Relay" hint="Reaches the agent on your own machine from this browser. Nothing goes through anybody else."><span class="facts">{link.welcome()?.server_version ?? ''}</span></ListRow>
      <ListRow title="Hermes" hint={facts.hermes()?.demo ? 'The built-in demo. It follows a script and cannot think.' : 'The agent that answers.'}><Show when={facts.hermes()?.demo} fallback={<span class="facts">{facts.hermes()?.version ?? ''}</span>}><Badge tone="warn">demo</Badge></Show></ListRow>
      <ListRow title="Machine" hint="Where both run."><span class="facts">{facts.host() ?? ''}</span></ListRow>
    </section>
  )
}
