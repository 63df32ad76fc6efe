/** Questions of the agent: raised once, answered once, whoever is first (lease.md 5, I6). */
import type { AnswerBody } from '#protocol/live/live-frame.ts'
import type { RefusalCode } from '#protocol/refusal/refusal.ts'
import { ASKS_MAX } from '#protocol/live/live-view.ts'
import type { AskFact, AskView } from '#protocol/turn/ask.ts'
import type { ToolDone } from '#protocol/turn/turn-event.ts'
import type { StoredAsk } from './journal.ts'
import { isRunning, type LeaseDraft, openAsks } from './lease-draft.ts'
import type { RpcOutcome } from './rpc-socket.ts'

/** An overdue question without a running turn is looked after this often, in ms. */
export const OVERDUE_LOOK_MS = 60_000

/** A new question. The deadline is an estimate: upstream never announces it (Verified 13, 14). */
export function raiseAsk(d: LeaseDraft, fact: AskFact, via: StoredAsk['via'], requestId: string | null): void {
  const known = requestId !== null && d.state.asks.some((ask) => ask.requestId === requestId && ask.view.kind === fact.kind)
  if (known) return
  const tooMany = d.state.asks.length >= ASKS_MAX ? d.state.asks[0] : undefined
  if (tooMany) close(d, tooMany, 'expired', null)
  const waitS = fact.timeoutS ?? d.state.askWaitS[fact.kind]
  const view: AskView = {
    askId: `${d.state.epoch}-ask-${d.nextOp()}`, kind: fact.kind, state: 'open', title: fact.title, command: fact.command, description: fact.description, choices: fact.choices,
    freeText: fact.freeText, envVar: fact.envVar, raisedAtMs: d.nowMs, deadlineAtMs: d.nowMs + waitS * 1_000, answeredBy: null, answer: null,
  }
  d.patchAsk({ key: d.state.key, view, liveId: d.state.liveId ?? '', requestId, via, choice: null })
  armAsks(d)
}

/**
 * A tool that ran while the relay was away stays silent: it may wait for an approval that nobody heard. Its command is unknown, so it
 * can be denied (the live id suffices) and never allowed (lease.md 7a).
 */
export function raiseMissedAsk(d: LeaseDraft): void {
  const tool = d.state.view.turn?.blocks.some((block) => block.kind === 'tool' && block.state === 'running')
  if (!d.state.mayHaveMissedAsk || !tool || openAsks(d.state).length > 0) return
  d.state.mayHaveMissedAsk = false
  raiseAsk(d, {
    kind: 'approval', requestId: null, title: 'Something may have been asked while the relay was away', command: null, choices: ['deny'], freeText: false, envVar: null, timeoutS: null,
    description: 'If the agent waits for an approval, it can only be denied now: what it wants to run is not known here.',
  }, 'event', null)
}

function armAsks(d: LeaseDraft): void {
  const next = openAsks(d.state).filter((ask) => ask.view.state === 'open').map((ask) => ask.view.deadlineAtMs)
  if (next.length > 0) d.timer('asks', Math.max(0, Math.min(...next) - d.nowMs))
}

/** Estimated deadlines passed: probably expired, still answerable. */
export function asksDue(d: LeaseDraft): void {
  for (const ask of openAsks(d.state)) if (ask.view.state === 'open' && ask.view.deadlineAtMs <= d.nowMs) d.patchAsk({ ...ask, view: { ...ask.view, state: 'overdue' } })
  armAsks(d)
  askAgainWhetherAnyoneWaits(d)
}

/** A question that outlived its turn is closed by evidence only; without a page to look, the lease looks itself. */
function askAgainWhetherAnyoneWaits(d: LeaseDraft): void {
  if (isRunning(d.state) || !openAsks(d.state).some((ask) => ask.view.state === 'overdue')) return
  if (d.state.link.up) d.state.watch = { ...d.state.watch, op: d.readStatus() }
  if (!openAsks(d.state).some((ask) => ask.view.state === 'open')) d.timer('asks', OVERDUE_LOOK_MS)
}

/** The first answer wins; it is written down before it is sent, unless it is a secret. */
export function answerAsk(d: LeaseDraft, askId: string, answer: AnswerBody, device: string): { code: RefusalCode; detail?: Record<string, unknown> } | null {
  const ask = d.state.asks.find((a) => a.view.askId === askId)
  const shown = ask?.view ?? d.state.view.asks.find((a) => a.askId === askId)
  if (!shown) return { code: 'ask_unknown' }
  if (shown.state === 'expired') return { code: 'ask_expired' }
  if (!ask || shown.state === 'answered' || shown.state === 'answering') return { code: 'ask_already_answered', detail: { by: shown.answeredBy, answer: shown.answer } }
  const words = answerWords(ask.view, answer)
  if (words === null) return { code: 'answer_malformed' }
  const secret = ask.view.kind === 'sudo' || ask.view.kind === 'secret'
  if (secret) d.state.secrets = { ...d.state.secrets, [askId]: words }
  const answered: StoredAsk = {
    ...ask, choice: secret ? null : words,
    view: { ...ask.view, state: 'answering', answeredBy: device, answer: secret ? (words === '' ? 'declined' : 'given') : words.slice(0, 200) },
  }
  d.patchAsk(answered)
  sendAnswer(d, answered)
  return null
}

/** The words that go to Hermes, or null when this is no possible answer. */
function answerWords(ask: AskView, answer: AnswerBody): string | null {
  switch (ask.kind) {
    case 'approval': return answer.kind === 'choice' && ask.choices.includes(answer.choice) ? answer.choice : null
    case 'clarify':
      if (answer.kind === 'choice') return ask.choices.includes(answer.choice) ? answer.choice : null
      return answer.kind === 'text' && answer.text.trim() !== '' ? answer.text : null
    case 'sudo': case 'secret': return answer.kind === 'value' ? answer.value : null
  }
}

/** Sends the answer that was given; while the line is down it waits and goes out when the line is back. */
function sendAnswer(d: LeaseDraft, ask: StoredAsk): void {
  const words = ask.choice ?? d.state.secrets[ask.view.askId]
  if (!d.state.link.up || words === undefined) return
  const op = ask.via === 'request' ? answerRequest(d, ask, words) : answerEvent(d, ask, words)
  d.state.askOps = { ...d.state.askOps, [op]: ask.view.askId }
}

function answerEvent(d: LeaseDraft, ask: StoredAsk, words: string): number {
  const requestId = ask.requestId ?? ''
  switch (ask.view.kind) {
    case 'approval': return d.rpc('approval.respond', { session_id: ask.liveId, choice: words, all: false })
    case 'clarify': return d.rpc('clarify.respond', { request_id: requestId, answer: words })
    case 'sudo': return d.rpc('sudo.respond', { request_id: requestId, password: words })
    case 'secret': return d.rpc('secret.respond', { request_id: requestId, value: words })
  }
}

/** Generation B: the answer is the response to the server's request; `requestId` is `rpcId`, or `rpcId question` for clarify. */
function answerRequest(d: LeaseDraft, ask: StoredAsk, words: string): number {
  const [rpcId = '', question] = (ask.requestId ?? '').split(' ')
  const result = ask.view.kind === 'approval' ? { choice: words } : ask.view.kind === 'clarify' ? { answers: { [question ?? 'q1']: words } } : { value: words }
  const op = d.nextOp()
  d.want({ kind: 'respond', op, rpcId, result })
  return op
}

/** Hermes acknowledged, or did not wait any more, or the answer was lost and is given again: the same one. */
export function askRpc(d: LeaseDraft, op: number, outcome: RpcOutcome): boolean {
  const askId = d.state.askOps[op]
  if (askId === undefined) return false
  d.state.askOps = Object.fromEntries(Object.entries(d.state.askOps).filter(([known]) => Number(known) !== op))
  const ask = d.state.asks.find((a) => a.view.askId === askId)
  if (ask?.view.state !== 'answering' || outcome.kind === 'lost') return true
  const late = outcome.kind === 'error' || outcome.result['status'] === 'expired' || outcome.result['resolved'] === 0
  d.patchAsk({ ...ask, view: { ...ask.view, state: late ? 'expired' : 'answered' } })
  d.signal('release_end')
  return true
}

/** The line is back: answers whose acknowledgement was lost are given again. */
export function resendAnswers(d: LeaseDraft): void {
  d.state.askOps = {}
  for (const ask of openAsks(d.state)) if (ask.view.state === 'answering') sendAnswer(d, ask)
  armAsks(d)
}

const close = (d: LeaseDraft, ask: StoredAsk, state: 'answered' | 'expired', by: string | null): void =>
  d.patchAsk({ ...ask, view: { ...ask.view, state, answeredBy: ask.view.answeredBy ?? by } })

/** Upstream said that nobody waits for this answer any more. */
export function withdrawAsk(d: LeaseDraft, kind: AskFact['kind'], requestId: string | null): void {
  const ask = openAsks(d.state).find((a) => a.view.kind === kind && (requestId === null || a.requestId === requestId))
  if (ask) close(d, ask, 'expired', null)
  d.signal('release_end')
}

/** Generation B: `resolved` means that somebody answered on another surface. */
export function cancelRequest(d: LeaseDraft, rpcId: string, reason: string): void {
  const ask = openAsks(d.state).find((a) => a.via === 'request' && (a.requestId ?? '').split(' ')[0] === rpcId)
  if (ask) close(d, ask, reason === 'resolved' ? 'answered' : 'expired', reason === 'resolved' ? 'another program' : null)
  d.signal('release_end')
}

/** A finished tool tells that its question is over: a blocked command timed out or was denied elsewhere. */
export function closeAsksOnEvidence(d: LeaseDraft, event: ToolDone): void {
  const kind = event.blocked ? 'approval' : event.name === 'clarify' ? 'clarify' : null
  if (kind === null) return
  const ask = openAsks(d.state).find((a) => a.view.kind === kind && (a.view.state === 'open' || a.view.state === 'overdue'))
  if (ask) close(d, ask, 'expired', null)
}

/** Hermes is idle or forgot the session: nobody waits. An answer on its way is left to its acknowledgement. */
export function expireAsks(d: LeaseDraft): void {
  for (const ask of openAsks(d.state)) {
    const onItsWay = ask.view.state === 'answering' && Object.values(d.state.askOps).includes(ask.view.askId)
    if (!onItsWay) close(d, ask, 'expired', null)
  }
}
