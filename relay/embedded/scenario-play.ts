/** Plays the steps of a scenario's turn, in order, and keeps what a snapshot would show in step with what was said. */
import { askWaitMs, makeAsk } from './player-asks.ts'
import type { Json, Live, Play, PlayerCore, Run } from './player-core.ts'
import type { ScenarioStep } from './scenario.ts'
import { INTERRUPT, interruptTurn } from './turn-play.ts'

/** The id under which events of another session arrive. */
export const FOREIGN_LIVE_ID = 'ffffffff'

export function* playSteps(core: PlayerCore, live: Live, run: Run, steps: readonly ScenarioStep[]): Play {
  try {
    for (const step of steps) yield* playStep(core, live, run, step)
    run.phase = 'ending'
    yield { sleepMs: 0 }
  } catch (thrown) {
    if (thrown !== INTERRUPT) throw thrown
    yield* interruptTurn(core, live, run, { toolOpen: false })
  }
}

function* playStep(core: PlayerCore, live: Live, run: Run, step: ScenarioStep): Play {
  switch (step.op) {
    case 'event': return playEvent(core, live, run, step)
    case 'persist': return persist(core, live, run, step.messages)
    case 'sleep':
      yield { sleepMs: step.milliseconds }
      return
    case 'set_running':
      live.runningForced = step.value ? null : false
      return
    case 'close': return closeOwner(core, live, step.code)
    case 'ask': {
      const ask = makeAsk(core, step.kind, resolve(live, step.payload))
      core.emit(live, `${step.kind}.request`, ask.payload)
      if (step.wait) yield { ask, waitMs: askWaitMs(core, step.kind) }
      else run.ask = ask
      return
    }
    case 'request': {
      const requestId = step.request_id ?? `srq-${core.hex(12)}`
      const ask = makeAsk(core, 'clarify', { request_id: requestId })
      if (live.socketId !== null) core.sendFrame(live.socketId, { jsonrpc: '2.0', id: requestId, method: step.method, params: { session_id: live.liveId, ...resolve(live, step.params) } })
      if (step.wait) yield { ask, waitMs: askWaitMs(core, 'clarify') }
      return
    }
    case 'reply_delay': case 'reject': return // Read when the prompt comes.
  }
}

function playEvent(core: PlayerCore, live: Live, run: Run, step: Extract<ScenarioStep, { op: 'event' }>): void {
  const payload = step.payload === undefined ? undefined : resolve(live, step.payload)
  if (step.scope === 'exact') track(run, step.type, payload ?? {})
  if (live.socketId === null) return
  core.sendEvent(live.socketId, step.type, step.scope === 'exact' ? live.liveId : step.scope === 'foreign' ? FOREIGN_LIVE_ID : null, payload)
}

const track = (run: Run, type: string, payload: Json): void => {
  const text = typeof payload['text'] === 'string' ? payload['text'] : ''
  if (type === 'message.delta') run.open += run.open === '' ? text.replace(/^\n+/, '') : text
  if (type === 'message.interim' || (type === 'message.complete' && run.open !== '')) {
    run.segments.push(run.open || text)
    run.open = ''
  }
}

/** A prompt's own user row was written when the prompt came, as upstream does; scripted user rows are for turns without one. */
function persist(core: PlayerCore, live: Live, run: Run, messages: Extract<ScenarioStep, { op: 'persist' }>['messages']): void {
  for (const message of messages) {
    if (message.role === 'user' && run.userRowWritten) continue
    core.addRow(live.stored, message.role, message.content, {
      finish_reason: message.finish_reason ?? null, reasoning: message.reasoning ?? null, tool_calls: message.tool_calls ?? null, tool_call_id: message.tool_call_id ?? null,
      tool_name: message.tool_name ?? null, display_kind: message.display_kind ?? null,
    })
  }
}

function closeOwner(core: PlayerCore, live: Live, code: number | null): void {
  const socket = live.socketId === null ? undefined : core.sockets.get(live.socketId)
  if (socket) core.closeSocket?.(socket.id, code)
}

/** `$live` and `$stored` become the ids of the session. */
function resolve(live: Live, payload: Json): Json {
  const word = (value: unknown): unknown => {
    if (value === '$live') return live.liveId
    if (value === '$stored') return live.stored.storedId
    if (Array.isArray(value)) return value.map(word)
    return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, word(inner)])) : value
  }
  return word(payload) as Json
}
