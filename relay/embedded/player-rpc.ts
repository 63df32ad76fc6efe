/** The JSON-RPC methods of the player, with the codes and shapes of hermes-agent 0.19.0 (gateway.md 4-6 and its Verified table). */
import { str, yes } from './gateway-read.ts'
import { findAsked } from './player-asks.ts'
import type { AskKind, Json, Live, PlayerCore } from './player-core.ts'
import { activeList, buildLive, createResult, historyOf, liveOf, makeLive, makeStored, own, previewOf, sessionInfo, snapshotOf, usageOf } from './player-sessions.ts'
import { answerAsk, interruptTurnOf, rejectionOf, submitPrompt } from './turn-runner.ts'

export type RpcAnswer = { result: Json } | { error: { code: number; message: string; data?: Json } }
/** `replyDelayMs`: the reply comes later than usual. */
export type RpcOutcome = RpcAnswer & { replyDelayMs?: number }
type Context = { core: PlayerCore; socketId: number; params: Json }
type Method = (context: Context) => RpcOutcome

/** These run beside the others of their socket; the rest waits its turn (Verified 26). */
const POOLED = /^(?:session\.(?:resume|branch|compress|list|active_list|usage)|slash\.exec|shell\.exec|model\.options|complete\..*|process\.list|pet\..*|plugins\.manage|skills\.manage|cli\.exec|setup\..*|browser\.manage|llm\.oneshot)$/
export const isPooled = (method: string): boolean => POOLED.test(method)

/** How long a method keeps its socket, in ms. */
export const rpcMs = (method: string): number => (method === 'session.resume' || method === 'session.create' ? 8 : method === 'session.activate' ? 7 : 1)

const fail = (code: number, message: string, data?: Json): RpcOutcome => ({ error: { code, message, ...(data ? { data } : {}) } })
const ok = (result: Json): RpcOutcome => ({ result })

/** Every session-scoped method answers 4001 for a live id that is not (any more). */
const withLive = (run: (context: Context, live: Live) => RpcOutcome): Method => (context) => {
  const live = context.core.lives.get(str(context.params['session_id']))
  return live ? run(context, live) : fail(4001, 'session not found')
}

const create: Method = ({ core, socketId, params }) => {
  const at = core.scenarios.findIndex((scenario) => scenario.history.length === 0 && !scenario.in_flight)
  const scenario = at >= 0 ? core.scenarios.splice(at, 1)[0]! : null
  const stored = makeStored(core, {
    title: str(params['title']), source: str(params['source']) || 'webui', cwd: str(params['cwd']) || null, scenario, ...(scenario?.stored ? { storedId: scenario.stored } : {}),
  })
  const live = makeLive(core, stored, socketId)
  live.reasoning = str(params['reasoning_effort'])
  return ok(createResult(live))
}

const resume: Method = ({ core, socketId, params }) => {
  const wanted = str(params['session_id'])
  if (wanted === '') return fail(4006, 'session_id required')
  const stored = core.stored.get(wanted) ?? [...core.stored.values()].find((known) => known.title !== '' && known.title === wanted)
  if (!stored || (!stored.persisted && !liveOf(core, stored.storedId))) return fail(4007, 'session not found')
  const known = liveOf(core, stored.storedId)
  const live = known ?? makeLive(core, stored, socketId)
  own(core, live, socketId)
  if (!known) buildLive(core, live)
  return ok({ inflight: null, ...snapshotOf(core, live), resumed: stored.storedId })
}

const submit = withLive(({ core, socketId, params }, live) => {
  const text = str(params['text'])
  const { storedId } = live.stored
  own(core, live, socketId)
  const reject = rejectionOf(live)
  const note = (status: 'streaming' | 'queued' | 'rejected') => core.noteSubmit({ storedId, text, socketId, atMs: core.clock.now(), status, foreign: false })
  if (reject) {
    note('rejected')
    return fail(reject.code, reject.message, reject.data)
  }
  const cut = params['truncate_before_user_ordinal']
  if (typeof cut === 'number') {
    const at = live.stored.rows.flatMap((row, index) => (row.role === 'user' ? [index] : []))[cut]
    if (at === undefined || live.run) return live.run ? fail(4009, 'session busy') : fail(4018, 'target no longer matches history')
    live.stored.rows.splice(at)
  }
  const { status, replyDelayMs } = submitPrompt(core, live, text)
  note(status)
  return { result: { status }, replyDelayMs }
})

const respond = (kind: AskKind, field: string): Method => ({ core, params }) => {
  const live = findAsked(core, kind, str(params['request_id']))
  if (live) {
    answerAsk(core, live, str(params[field]))
    return ok({ status: 'ok' })
  }
  return kind === 'clarify' ? fail(4009, 'no pending answer request') : ok({ status: 'expired' })
}

const approve = withLive(({ core, params }, live) =>
  ok({ resolved: live.run?.ask?.kind === 'approval' && answerAsk(core, live, str(params['choice']) || 'deny') ? 1 : 0 }))

const title = withLive(({ core, params }, live) => {
  if (!('title' in params)) {
    core.emit(live, 'session.info', sessionInfo(core, live))
    return ok({ title: live.stored.title, session_key: live.stored.storedId })
  }
  const wanted = str(params['title']).trim()
  if (wanted === '') return fail(4021, 'title required')
  live.stored.title = wanted
  core.emit(live, 'session.info', sessionInfo(core, live))
  return ok({ pending: !live.stored.persisted, title: wanted })
})

const REASONING = new Set(['', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'show', 'hide'])

const configSet: Method = ({ core, params }) => {
  const key = str(params['key'])
  const value = params['value']
  const live = core.lives.get(str(params['session_id'])) ?? null
  const told = (result: Json): RpcOutcome => {
    if (live) core.emit(live, 'session.info', sessionInfo(core, live))
    return ok({ key, ...result })
  }
  switch (key) {
    case 'model': {
      if (live?.run) return fail(4009, 'session busy — /interrupt the current turn before switching models')
      const [model = '', provider] = str(value).split(' --provider ')
      if (live) {
        live.stored.model = model.trim()
        live.stored.provider = provider?.trim() || live.stored.provider
      } else core.model = model.trim()
      return told({ value: model.trim(), warning: '', confirm_required: false, confirm_message: '', scope: 'session' })
    }
    case 'reasoning':
      if (!REASONING.has(str(value))) return fail(4002, `unknown reasoning value: ${String(value)}`)
      if (live) live.reasoning = str(value)
      return told({ value })
    case 'yolo':
      if (live) live.yolo = yes(value)
      return told({ value, scope: params['scope'] ?? 'session' })
    case 'approvals.mode':
      if (!['manual', 'smart', 'off'].includes(str(value))) return fail(4002, `unknown approvals mode: ${String(value)}`)
      core.config.approvals.mode = str(value)
      return told({ value })
    case 'busy':
      core.config.display.busy_input_mode = str(value)
      return ok({ key, value })
    case 'fast': return value === 'fast' ? fail(4002, 'fast mode is not available for this model') : told({ value })
    default: return fail(4002, `unknown config key: ${key}`)
  }
}

const drop = (core: PlayerCore, live: Live): void => {
  core.cancel(live.reap)
  core.cancel(live.run?.timer ?? null)
  core.cancel(live.run?.ask?.timer ?? null)
  live.run = null
  core.lives.delete(live.liveId)
}

const remove: Method = ({ core, params }) => {
  const storedId = str(params['session_id'])
  if (storedId === '') return fail(4006, 'session_id required')
  if (liveOf(core, storedId)) return fail(4023, 'cannot delete an active session')
  return core.stored.delete(storedId) ? ok({ deleted: storedId }) : fail(4007, 'session not found')
}

const list: Method = ({ core, params }) => {
  const limit = typeof params['limit'] === 'number' ? params['limit'] : 200
  const sessions = [...core.stored.values()].filter((stored) => stored.persisted).sort((a, b) => b.startedAtMs - a.startedAtMs).slice(0, limit)
  return ok({ sessions: sessions.map((s) => ({ id: s.storedId, title: s.title, preview: previewOf(s), started_at: s.startedAtMs / 1_000, message_count: s.rows.length, source: s.source })) })
}

export const METHODS: Readonly<Record<string, Method>> = {
  'session.create': create,
  'session.resume': resume,
  'session.activate': withLive(({ core, socketId }, live) => {
    own(core, live, socketId)
    return ok(snapshotOf(core, live))
  }),
  'session.close': withLive(({ core }, live) => {
    drop(core, live)
    return ok({ closed: true })
  }),
  'session.active_list': ({ core, params }) => ok({ sessions: activeList(core, params['current_session_id']) }),
  'session.list': list,
  'session.history': withLive((_, live) => {
    const messages = historyOf(live.stored.rows)
    return ok({ count: messages.length, messages })
  }),
  'session.usage': withLive((_, live) => ok(usageOf(live))),
  'session.status': withLive(({ core }, live) => ok({
    output: `Hermes TUI Status\n\nSession ID: ${live.stored.storedId}\nTitle: ${live.stored.title}\nModel: ${live.stored.model} (${live.stored.provider})\nApprovals: ${core.config.approvals.mode}\nAgent Running: ${live.run ? 'Yes' : 'No'}`,
  })),
  'session.title': title,
  'session.cwd.set': withLive(({ core, params }, live) => {
    if (live.run) return fail(4009, 'session busy')
    if (str(params['cwd']) === '') return fail(4016, 'cwd required')
    live.stored.cwd = str(params['cwd'])
    const info = sessionInfo(core, live)
    core.emit(live, 'session.info', info)
    return ok(info)
  }),
  'session.delete': remove,
  'session.interrupt': withLive(({ core }, live) => {
    interruptTurnOf(core, live, false)
    return ok({ status: 'interrupted' })
  }),
  'session.steer': withLive(({ params }, live) => {
    const text = str(params['text'])
    if (text.trim() === '') return fail(4002, 'text is required')
    if (!live.run || live.run.phase === 'ending') return ok({ status: 'rejected', text })
    live.steers.push(text)
    return ok({ status: 'queued', text })
  }),
  'prompt.submit': submit,
  'approval.respond': approve,
  'clarify.respond': respond('clarify', 'answer'),
  'sudo.respond': respond('sudo', 'password'),
  'secret.respond': respond('secret', 'value'),
  'config.set': configSet,
  'model.options': ({ core }) => ok(modelOptions(core)),
  'process.list': withLive(() => ok({ processes: [] })),
  'commands.catalog': () => ok({ pairs: [['/help', 'What the demo can show']], sub: {}, canon: {}, categories: [], skill_count: 0, warning: '' }),
  'setup.status': () => ok({ provider_configured: true }),
}

export const modelOptions = (core: PlayerCore): Json => ({
  providers: [{
    slug: 'demo', name: 'Built-in demo', is_current: true, is_user_defined: false, models: ['demo-script', 'demo-script-mini'], total_models: 2, source: 'built-in', authenticated: true,
    capabilities: { 'demo-script': { fast: false, reasoning: true }, 'demo-script-mini': { fast: false, reasoning: false } },
  }],
  model: core.model, provider: core.provider,
})
