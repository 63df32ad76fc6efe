/** Properties of the pure step, and the corners that no player reaches: whatever comes, in whatever order. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ASKS_MAX } from '#protocol/live/live-view.ts'
import { ASK_WAIT_S, type AskFact } from '#protocol/turn/ask.ts'
import type { GatewayFact } from '#protocol/turn/from-gateway.ts'
import type { StoredMessage } from './journal.ts'
import { OUTCOMES_MAX } from './journal.ts'
import { stepLease } from './lease-core.ts'
import { isRunning } from './lease-draft.ts'
import { initialLease, type LeaseEffect, type LeaseInput, type LeaseState } from './lease-state.ts'
import { BUFFER_MAX } from './lease-turn.ts'

const message = (n: number, state: StoredMessage['state'] = 'queued'): StoredMessage => ({
  clientMsgId: `message-${n}`, key: 'k', deviceId: 'd', deviceName: 'Phone', text: `text ${n}`, state, position: n, baselineRowId: null, rowId: null, resends: 0, reason: null, atMs: 0,
})
const ask = (kind: AskFact['kind'], requestId: string | null): AskFact => ({ kind, requestId, title: 't', command: null, description: null, choices: ['once', 'deny'], freeText: true, envVar: null, timeoutS: null })
const ended = (status: 'complete' | 'error' | 'interrupted'): GatewayFact => ({ kind: 'turn', event: { kind: 'ended', status, text: 'done', reasoning: null, error: null, warning: null, usage: null } })
const info = (running: boolean | null): GatewayFact => ({ kind: 'info', info: { running, model: 'm', provider: null, cwd: null, title: 'T', storedId: null, approvalMode: null, yolo: false, profile: null, usage: null, desktopContract: 4 } })

const fresh = (session: string): LeaseState => initialLease('k', null, session, 'e', { ...ASK_WAIT_S })

/** Runs inputs; what the step wishes of the outside is collected. */
function run(start: LeaseState, inputs: readonly LeaseInput[]): { state: LeaseState; effects: LeaseEffect[] } {
  let state = start
  const effects: LeaseEffect[] = []
  for (const [n, input] of inputs.entries()) {
    const stepped = stepLease(state, input, n * 1_000)
    state = stepped.state
    effects.push(...stepped.effects)
  }
  return { state, effects }
}

// --- Arbitrary inputs: stale and future ops, answers that fit nothing, commands for what is not there.
const n = fc.integer({ min: 0, max: 4 })
const op = fc.integer({ min: -1, max: 40 })
const msgId = n.map((i) => `message-${i}`)
const cmd = fc.constant(1)
const active = fc.option(fc.record({
  liveId: fc.constantFrom('live-1', 'live-2'), storedId: fc.constant('stored-1'), status: fc.constantFrom('idle', 'working', 'starting', 'waiting', ''), messageCount: fc.constant(null), lastActive: fc.constant(null), title: fc.constant(''),
}))
const result = fc.constantFrom<Record<string, unknown>>(
  {}, { session_id: 'live-1', stored_session_id: 'stored-1' }, { session_id: 7 }, { status: 'streaming' }, { status: 'rejected' }, { status: 'expired' }, { resolved: 0 }, { resolved: 1 },
  { session_id: 'live-2', running: true, inflight: { user: 'text 1', assistant: 'one\n\ntwo', streaming: true }, info: { profile_name: 'default' } }, { confirm_required: true }, { session_key: 'stored-2', session_id: 'live-2', running: false, inflight: null },
)
const outcome = fc.oneof(
  fc.record({ kind: fc.constant('ok' as const), result }), fc.constant({ kind: 'lost' as const }),
  fc.record({ kind: fc.constant('error' as const), code: fc.constantFrom(4001, 4007, 4009, 4090, -32601, 5000), message: fc.constant('no') }),
)
const row = fc.record({ id: fc.integer({ min: 1, max: 30 }), role: fc.constantFrom('user', 'assistant', 'tool'), content: fc.constantFrom('text 0', 'text 1', 'text 2', 'other') })
const read = fc.oneof(fc.constant({ kind: 'failed' as const }), fc.constant({ kind: 'absent' as const }), fc.record({ kind: fc.constant('rows' as const), rows: fc.array(row, { maxLength: 4 }), storedId: fc.constantFrom(null, 'stored-1', 'stored-2') }))
const fact = fc.oneof(
  fc.constantFrom<GatewayFact>(
    { kind: 'turn', event: { kind: 'started' } }, { kind: 'turn', event: { kind: 'text', text: 'w' } }, { kind: 'turn', event: { kind: 'caption', text: 'c' } }, ended('complete'), ended('error'), ended('interrupted'),
    { kind: 'turn', event: { kind: 'tool_done', toolId: 'x', name: 'clarify', failed: false, blocked: true, args: null, result: null, error: null, durationS: null, diff: null, todos: null } },
    info(true), info(false), info(null), { kind: 'title', storedId: null, title: 'T' }, { kind: 'reclaimed', liveId: 'live-1', storedId: null }, { kind: 'notice', text: 'n' }, { kind: 'ignored' }, { kind: 'unknown' },
    { kind: 'ask_expired', ask: 'clarify', requestId: 'r1' }, { kind: 'ask_expired', ask: 'approval', requestId: null },
  ),
  fc.record({ kind: fc.constant('ask' as const), ask: fc.tuple(fc.constantFrom<AskFact['kind']>('approval', 'clarify', 'sudo', 'secret'), fc.constantFrom('r1', 'r2')).map(([kind, id]) => ask(kind, kind === 'approval' ? null : id)) }),
)
type Draw = (state: LeaseState) => LeaseInput
const always = (input: LeaseInput): Draw => () => input
const pendingOps = (s: LeaseState): number[] => [('op' in s.delivery && s.delivery.op) || -1, s.recovery.step === 'none' ? -1 : s.recovery.op, s.watch.op, s.silence.op, ...Object.keys(s.askOps).map(Number), ...Object.keys(s.steerOps).map(Number), s.op]
/** Most answers are for a question that was asked: otherwise hardly any would ever fit. */
const opNow = fc.oneof({ weight: 6, arbitrary: fc.nat({ max: 9 }).map((at) => (s: LeaseState) => pendingOps(s).at(at % pendingOps(s).length) ?? s.op) }, { weight: 1, arbitrary: op.map((fixed) => () => fixed) })
/** What the delivery, or the recovery, waits for, answered in kind. */
const apt = fc.tuple(fc.boolean(), outcome, read, active).map(([first, out, rows, act]): Draw => (s) => {
  const { delivery: d, recovery: r } = s
  const recovers = r.step !== 'none' && (first || d.stage === 'rest')
  const asked = recovers ? r.op : 'op' in d ? d.op : s.op
  const kind = recovers ? (r.step === 'status' ? 'status' : r.step === 'bind' ? 'rpc' : 'rows') : d.stage === 'status' || (d.stage === 'doubt' && d.step === 'status') ? 'status' : ['create', 'resume', 'configure', 'submit'].includes(d.stage) ? 'rpc' : 'rows'
  if (kind === 'status') return { kind: 'status_read', op: asked, active: act, failed: false }
  return kind === 'rpc' ? { kind: 'rpc_done', op: asked, outcome: out } : { kind: 'rows_read', op: asked, read: rows as never }
})
const draws = fc.oneof(
  { weight: 24, arbitrary: apt },
  { weight: 3, arbitrary: fc.constant<Draw>(always({ kind: 'stop_pressed', cmd: 1 })) },
  { weight: 6, arbitrary: fc.tuple(opNow, outcome).map(([o, out]): Draw => (s) => ({ kind: 'rpc_done', op: o(s), outcome: out })) },
  { weight: 6, arbitrary: fc.tuple(opNow, read).map(([o, r]): Draw => (s) => ({ kind: 'rows_read', op: o(s), read: r as never })) },
  { weight: 6, arbitrary: fc.tuple(opNow, active, fc.boolean()).map(([o, a, failed]): Draw => (s) => ({ kind: 'status_read', op: o(s), active: a, failed })) },
  { weight: 5, arbitrary: fact.map((f): Draw => always({ kind: 'fact', fact: f })) },
  { weight: 4, arbitrary: fc.constantFrom('drain', 'confirm', 'doubt', 'recover', 'silence', 'final', 'watch', 'asks').map((name): Draw => always({ kind: 'timer_fired', name: name as never })) },
  { weight: 2, arbitrary: fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('queued' as const, 'steering' as const, 'steering' as const), fc.boolean()).map(([i, state, options]): Draw => (s) => (s.messages.some((m) => m.clientMsgId === `message-${i}`) ? { kind: 'timer_fired', name: 'drain' } : { kind: 'message_accepted', message: message(i, state), options: options ? { model: 'm', approval_mode: 'off' } : null })) },
    { weight: 2, arbitrary: fc.boolean().map((down): Draw => (s) => (down && s.link.up ? { kind: 'link_down' } : { kind: 'link_up', gen: s.link.gen + 1 })) },
  { weight: 1, arbitrary: fc.constantFrom<Draw>(always({ kind: 'queue_released', cmd: 1 }), always({ kind: 'takeover_pressed', cmd: 1 }), always({ kind: 'flooded' }), always({ kind: 'ask_wait_learned', askWaitS: { approval: 9 } })) },
  { weight: 1, arbitrary: fc.tuple(msgId, cmd).map(([clientMsgId, c]): Draw => always({ kind: 'message_edited', clientMsgId, text: 'edited', cmd: c })) },
  { weight: 1, arbitrary: fc.tuple(msgId, fc.option(msgId), cmd).map(([clientMsgId, before, c]): Draw => always({ kind: 'message_moved', clientMsgId, before, cmd: c })) },
  { weight: 1, arbitrary: fc.tuple(msgId, cmd).map(([clientMsgId, c]): Draw => always({ kind: 'message_removed', clientMsgId, cmd: c })) },
  { weight: 1, arbitrary: fc.tuple(msgId, fc.constantFrom('send_again' as const, 'arrived' as const, 'discard' as const), cmd).map(([clientMsgId, verdict, c]): Draw => always({ kind: 'message_resolved', clientMsgId, verdict, cmd: c })) },
  { weight: 2, arbitrary: fc.tuple(n, fc.constantFrom({ kind: 'choice' as const, choice: 'once' }, { kind: 'text' as const, text: 'x' }, { kind: 'value' as const, value: 's' })).map(([at, answer]): Draw => (s) => ({ kind: 'ask_answered', askId: s.view.asks[at]?.askId ?? 'none', answer, device: 'Phone', cmd: 1 })) },
  { weight: 1, arbitrary: fc.constantFrom<Draw>(always({ kind: 'request_raised', ask: ask('approval', null), rpcId: 'srq-1' }), always({ kind: 'request_cancelled', rpcId: 'srq-1', reason: 'resolved' }), always({ kind: 'subscribers_changed', count: 1 }), always({ kind: 'subscribers_changed', count: 0 })) },
  { weight: 1, arbitrary: fc.boolean().map((mine): Draw => (s) => ({ kind: 'store_failed', code: 'store_full', unsent: mine && 'op' in s.delivery ? s.delivery.op : null })) },
)

const must = (holds: boolean, promise: string): void => { if (!holds) throw new Error(promise) }

/** One input: the step never throws, changes nothing that it was given, and keeps its promises. Answers the new state and what was called. */
function checkedStep(before: LeaseState, input: LeaseInput, nowMs: number): { state: LeaseState; calls: string[] } {
  const frozen = nowMs % 8_000 === 0 ? JSON.stringify(before) : null // Now and then: it is slow.
  const { state, effects } = stepLease(before, input, nowMs)
  must(frozen === null || JSON.stringify(before) === frozen, 'the state that a step is given stays as it was')
  const calls = effects.flatMap((e) => (e.kind === 'rpc' ? [e.method] : []))
  must(!calls.includes('prompt.submit') || !(isRunning(before) || isRunning(state) || before.view.held), 'no submit while a turn runs, or what waits is held')
  must(!('cmd' in input) || effects.filter((e) => e.kind === 'settle').length === 1, 'every command is answered once')
  must(state.asks.length <= ASKS_MAX && state.buffer.length <= BUFFER_MAX, 'bounds hold')
  must(new Set(state.messages.map((m) => m.clientMsgId)).size === state.messages.length, 'a message is in the list once')
  return { state, calls }
}

test('the step is total, submits only while no turn runs, interrupts only for a stop, answers every command once', { timeout: 60_000 }, () => {
  const called = new Map<string, number>()
  fc.assert(fc.property(fc.constantFrom('draft:00000001', 'stored-1'), fc.array(draws, { minLength: 40, maxLength: 120, size: 'max' }), (session, script) => {
    let { state } = run(fresh(session), [{ kind: 'link_up', gen: 1 }, { kind: 'message_accepted', message: message(1), options: { model: 'm', approval_mode: 'off' } }])
    let stops = 0
    const trace: LeaseInput[] = []
    for (const [at, draw] of script.entries()) {
      const input = draw(state)
      trace.push(input)
      try {
        const { state: next, calls } = checkedStep(state, input, 10_000 + at * 800)
        if (input.kind === 'stop_pressed') stops += 1
        for (const method of calls) called.set(method, (called.get(method) ?? 0) + 1)
        stops -= calls.filter((method) => method === 'session.interrupt').length
        must(stops >= 0, 'no interrupt without a stop')
        state = next
      } catch (cause) {
        throw new Error(`${session}: ${trace.map((one) => JSON.stringify(one)).join('\n')}`, { cause })
      }
    }
  }), { seed: 20_261_130, numRuns: 500 })
  for (const method of ['session.create', 'session.resume', 'session.activate', 'prompt.submit', 'session.interrupt', 'session.steer', 'config.set', 'approval.respond', 'clarify.respond']) {
    expect([method, (called.get(method) ?? 0) >= 10]).toEqual([method, true]) // The generator reaches what it is to prove.
  }
})

/** A lease in the middle of a turn of its first message. */
function running(): LeaseState {
  const { state } = run(fresh('draft:00000001'), [{ kind: 'link_up', gen: 1 }, { kind: 'message_accepted', message: message(1), options: null }])
  const created = run(state, [{ kind: 'rpc_done', op: state.op, outcome: { kind: 'ok', result: { session_id: 'live-1', stored_session_id: 'stored-1' } } }]).state
  const read1 = run(created, [{ kind: 'rows_read', op: created.op, read: { kind: 'absent' } }]).state
  return run(read1, [{ kind: 'rpc_done', op: read1.op, outcome: { kind: 'ok', result: { status: 'streaming' } } }, { kind: 'fact', fact: { kind: 'turn', event: { kind: 'started' } } }]).state
}

test('ASKS_MAX: the oldest of too many questions is closed, and its view is gone before that of an open one', () => {
  const { state, effects } = run(running(), Array.from({ length: ASKS_MAX + 3 }, (_, i): LeaseInput => ({ kind: 'fact', fact: { kind: 'ask', ask: ask('clarify', `r${i}`) } })))
  expect(state.asks).toHaveLength(ASKS_MAX)
  expect(state.view.asks).toHaveLength(ASKS_MAX)
  expect(state.asks[0]?.requestId).toBe('r3')
  expect(effects.flatMap((e) => (e.kind === 'save_ask' && e.ask.view.state === 'expired' ? [e.ask.requestId] : []))).toEqual(['r0', 'r1', 'r2'])
})

test('BUFFER_MAX: what comes while a turn is re-read waits in order, the newest are kept', () => {
  const lost = run(running(), [{ kind: 'link_down' }, { kind: 'link_up', gen: 2 }]).state
  expect(lost.recovery.step).toBe('status')
  const { state } = run(lost, Array.from({ length: BUFFER_MAX + 10 }, (_, i): LeaseInput => ({ kind: 'fact', fact: { kind: 'turn', event: { kind: 'text', text: `${i}` } } })))
  expect(state.buffer).toHaveLength(BUFFER_MAX)
  expect(state.buffer.at(-1)).toMatchObject({ event: { text: `${BUFFER_MAX + 9}` } })
})

test('OUTCOMES_MAX: only the newest outcomes are shown', () => {
  let state = running()
  for (let i = 0; i < OUTCOMES_MAX + 5; i += 1) state = run(state, [{ kind: 'fact', fact: { kind: 'turn', event: { kind: 'started' } } }, { kind: 'fact', fact: ended('error') }]).state
  expect(state.view.outcomes).toHaveLength(OUTCOMES_MAX)
  expect(state.view.outcomes.at(-1)?.turnId).toBe(state.view.turn?.turnId)
})

test('events of a kind that nobody knows are counted and change nothing', () => {
  const before = running()
  const { state } = run(before, [{ kind: 'fact', fact: { kind: 'unknown' } }, { kind: 'fact', fact: { kind: 'ignored' } }])
  expect(state.unknownFacts).toBe(1)
  expect(state.view).toEqual(before.view)
})

test('a stop for a submit that Hermes then refuses does not stop the next turn', () => {
  const { state: s0 } = run(fresh('stored-1'), [{ kind: 'link_up', gen: 1 }, { kind: 'message_accepted', message: message(1), options: null }])
  const s1 = run(s0, [{ kind: 'status_read', op: s0.op, active: { liveId: 'live-1', storedId: 'stored-1', status: 'idle', messageCount: null, lastActive: null, title: '' }, failed: false }]).state
  const s2 = run(s1, [{ kind: 'rows_read', op: s1.op, read: { kind: 'rows', rows: [], storedId: null } }]).state
  expect(s2.delivery.stage).toBe('submit')
  const { state: s3, effects } = run(s2, [
    { kind: 'message_accepted', message: message(2), options: null }, { kind: 'stop_pressed', cmd: 1 }, { kind: 'rpc_done', op: s2.op, outcome: { kind: 'error', code: 4090, message: 'no room' } },
    { kind: 'fact', fact: { kind: 'turn', event: { kind: 'started' } } },
  ])
  expect(s3.view).toMatchObject({ held: true, turn: { origin: 'agent', phase: 'running', stopping: false } })
  expect(effects.filter((e) => e.kind === 'rpc')).toEqual([])
})

test('two devices press Take over at once: the second press reads nothing again, so no word is doubled', () => {
  const ours = running()
  const { effects } = run(ours, [{ kind: 'takeover_pressed', cmd: 1 }])
  expect(effects).toEqual([{ kind: 'settle', cmd: 1, refusal: null }])
})
