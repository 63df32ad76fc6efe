/** Questions of the agent: raised by event, answered by a call, over in silence when nobody answers in time (Verified 13, 14). */
import type { Json } from '../player-core.ts'
import { ALLOWED_MAX, type AgentCore, type AskKind, type Live, type Run } from './agent-core.ts'
import { STOPPED } from './model-client.ts'

export type Verdict = 'allowed' | 'denied' | 'timeout'

/** Waits for an answer; null when nobody gave one in time. Throws `STOPPED` when the turn is stopped meanwhile. */
export function askPerson(core: AgentCore, live: Live, run: Run, kind: AskKind, payload: Json, waitMs: number): Promise<string | null> {
  const { signal } = run.controller
  if (signal.aborted) return Promise.reject(STOPPED)
  return new Promise((resolve, reject) => {
    const requestId = core.hex(8)
    const settle = (): void => {
      run.ask = null
      core.cancel(timer)
      signal.removeEventListener('abort', stop)
    }
    const stop = (): void => {
      settle()
      reject(STOPPED)
    }
    const timer = core.schedule(() => {
      settle()
      resolve(null)
    }, waitMs)
    signal.addEventListener('abort', stop, { once: true })
    run.ask = { kind, requestId, answer(text) { settle(); resolve(text) } }
    core.emit(live, `${kind}.request`, kind === 'approval' ? payload : { ...payload, request_id: requestId })
  })
}

/** Every command is asked for, unless the person said otherwise: for exactly this command, for this conversation, or for all. Silence never allows. */
export async function approve(core: AgentCore, live: Live, run: Run, command: string): Promise<Verdict> {
  const { mode, timeoutS } = core.approvals
  if (mode === 'off' || live.yolo || live.allowed.has(command)) return 'allowed'
  const choice = await askPerson(core, live, run, 'approval', {
    command, description: 'The agent wants to run this command on the machine of the relay.', pattern_key: 'command', pattern_keys: ['command'], allow_permanent: false, choices: ['once', 'session', 'deny'],
  }, timeoutS * 1_000)
  if (choice === null) return 'timeout'
  if (choice === 'session' && live.allowed.size < ALLOWED_MAX) live.allowed.add(command)
  return choice === 'once' || choice === 'session' ? 'allowed' : 'denied'
}

/** Answers what the conversation waits for. False when it waits for nothing of that kind. */
export function answerAsk(live: Live, kind: AskKind, answer: string): boolean {
  const ask = live.run?.ask
  if (ask?.kind !== kind) return false
  ask.answer(answer)
  return true
}

export const findAsked = (core: AgentCore, kind: AskKind, requestId: string): Live | null =>
  [...core.lives.values()].find((live) => live.run?.ask?.kind === kind && live.run.ask.requestId === requestId) ?? null
