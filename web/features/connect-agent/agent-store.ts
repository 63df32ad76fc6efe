/** What the relay says about its agent, looked at again while it prepares something; and the wishes of a person. */
import { createEffect, createResource, createSignal, on, onCleanup } from 'solid-js'
import { AgentState, type AgentWish, ModelsAnswer } from '#protocol/agent/agent-state.ts'
import type { Failure, RelayCall } from '#web/net/relay/relay-http.ts'
import { isBusy } from './agent-words.ts'

/** While something is prepared, in ms. */
const LOOK_EVERY_MS = 1_000
const UNREADABLE: Failure = { code: 'unreadable', say: 'The relay answered in words that this page does not know.', next: 'Reload the page.' }

export type AgentStore = ReturnType<typeof createAgentStore>

/** `isLinked`: while the relay changes over it is away for a moment; when it is back, it is asked again. A link that only comes up beside the first question asks nothing. */
export function createAgentStore(call: RelayCall, isLinked: () => boolean) {
  const [failure, setFailure] = createSignal<Failure | null>(null)
  const [wishing, setWishing] = createSignal<AgentWish['kind'] | null>(null)
  const [state, { mutate, refetch }] = createResource<AgentState | null>(async (_source, { value: before }) => {
    const answer = await call('/relay/agent')
    if (!answer.ok && answer.failure.code === 'relay_unreachable' && before) return before
    return take(answer)
  })
  function take(answer: Awaited<ReturnType<RelayCall>>): AgentState | null {
    const parsed = answer.ok ? AgentState.safeParse(answer.body) : null
    setFailure(answer.ok ? (parsed?.success ? null : UNREADABLE) : answer.failure)
    return parsed?.success ? parsed.data : (state.latest ?? null)
  }
  createEffect(() => {
    const now = state.latest
    if (!now || !isBusy(now) || state.loading) return
    const timer = setTimeout(() => void refetch(), LOOK_EVERY_MS)
    onCleanup(() => clearTimeout(timer))
  })
  let wasAway = false
  createEffect(on(isLinked, (linked) => {
    if (!linked) wasAway = true
    else if (wasAway || failure()) { wasAway = false; void refetch() }
  }, { defer: true }))
  return {
    state: () => state.latest, failure, wishing,
    /** Whether the relay took it on; from then on it is looked at until it is done. */
    async wish(wish: AgentWish): Promise<boolean> {
      if (wishing()) return false
      setWishing(wish.kind)
      const answer = await call('/relay/agent', { method: 'POST', body: wish })
      setWishing(null)
      setFailure(answer.ok ? null : answer.failure)
      const now = state.latest
      if (answer.ok && now) mutate({ ...now, switching: true, failed: null, managed: { ...now.managed, wanted: wish.kind === 'managed', progress: null } })
      return answer.ok
    },
    async models(baseUrl: string, key: string | undefined): Promise<{ models: string[]; failure: Failure | null }> {
      const answer = await call('/relay/agent/models', { method: 'POST', body: { base_url: baseUrl, ...(key !== undefined && { key }) } })
      const parsed = answer.ok ? ModelsAnswer.safeParse(answer.body) : null
      return parsed?.success ? { models: parsed.data.models, failure: null } : { models: [], failure: answer.ok ? UNREADABLE : answer.failure }
    },
  }
}
