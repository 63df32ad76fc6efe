/** The JSON-RPC methods of the agent, with the codes and shapes of hermes-agent 0.19.0 (gateway.md 4-6, 8.1 and its Verified table). */
import { Refused, REFUSALS } from '#protocol/refusal/refusal.ts'
import { str, yes } from '../gateway-read.ts'
import type { Json } from '../player-core.ts'
import { answerAsk, findAsked } from './agent-asks.ts'
import type { AgentCore, Live } from './agent-core.ts'
import { modelOptions } from './agent-models.ts'
import { activeList, createResult, dropLive, liveOf, makeLive, makeSession, messagesOf, own, sessionInfo, snapshotOf, usageOf } from './agent-sessions.ts'
import { setApprovalsMode, setBusyMode } from './agent-settings.ts'
import { steer, stopTurn, submitPrompt } from './turn-runner.ts'

export type RpcAnswer = { result: Json } | { error: { code: number; message: string } }
type Context = { core: AgentCore; socketId: number; params: Json }
type Method = (context: Context) => RpcAnswer | Promise<RpcAnswer>

/** Longest title, in UTF-16 units. */
export const TITLE_LENGTH_MAX = 200

const fail = (code: number, message: string): RpcAnswer => ({ error: { code, message } })
const ok = (result: Json): RpcAnswer => ({ result })

/** Every method of a conversation answers 4001 for a live id that is not (any more). */
const withLive = (run: (context: Context, live: Live) => RpcAnswer): Method => (context) => {
  const live = context.core.lives.get(str(context.params['session_id']))
  return live ? run(context, live) : fail(4001, 'session not found')
}

const create: Method = ({ core, socketId, params }) => {
  const live = makeLive(core, makeSession(core, { title: str(params['title']).trim().slice(0, TITLE_LENGTH_MAX), source: str(params['source']).slice(0, 40) || 'webui' }), false, socketId)
  if (!live) return fail(5000, 'too many conversations run at once')
  own(core, live, socketId)
  return ok(createResult(core, live))
}

const resume: Method = ({ core, socketId, params }) => {
  const wanted = str(params['session_id'])
  if (wanted === '') return fail(4006, 'session_id required')
  const known = liveOf(core, wanted)
  const session = known ? null : core.repo.session(core.repo.session(wanted) ? wanted : (core.repo.idOfTitle(wanted) ?? ''))
  if (!known && !session) return fail(4007, 'session not found')
  const live = known ?? liveOf(core, session!.storedId) ?? makeLive(core, session!, true, socketId)
  if (!live) return fail(5000, 'too many conversations run at once')
  own(core, live, socketId)
  return ok({ inflight: null, ...snapshotOf(core, live), resumed: live.session.storedId })
}

const submit = withLive(({ core, socketId, params }, live) => {
  const text = str(params['text'])
  if (text.trim() === '') return fail(4002, 'text is required')
  own(core, live, socketId)
  const ordinal = params['truncate_before_user_ordinal']
  let fromRowId: number | null = null
  if (ordinal !== undefined && ordinal !== null) {
    if (typeof ordinal !== 'number' || !Number.isInteger(ordinal) || ordinal < 0) return fail(4004, 'truncate_before_user_ordinal must be an integer')
    if (live.run) return fail(4009, 'session busy')
    fromRowId = core.repo.userRowId(live.session.storedId, ordinal)
    if (fromRowId === null) return fail(4018, 'target user message is no longer in session history')
  }
  const submitted = submitPrompt(core, live, text, fromRowId)
  return 'refused' in submitted ? fail(4009, submitted.refused) : ok(submitted)
})

const clarifyRespond: Method = ({ core, params }) => {
  const live = findAsked(core, 'clarify', str(params['request_id']))
  return live && answerAsk(live, 'clarify', str(params['answer'])) ? ok({ status: 'ok' }) : fail(4009, 'no pending answer request')
}

const title = withLive(({ core, params }, live) => {
  if ('title' in params) {
    const wanted = str(params['title']).trim()
    if (wanted === '') return fail(4021, 'title required')
    if (wanted.length > TITLE_LENGTH_MAX) return fail(4022, `a title has at most ${TITLE_LENGTH_MAX} characters`)
    live.session.title = wanted
    if (live.persisted) core.repo.update(live.session)
  }
  core.emit(live, 'session.info', sessionInfo(core, live))
  return ok('title' in params ? { pending: !live.persisted, title: live.session.title } : { title: live.session.title, session_key: live.session.storedId })
})

const configSet: Method = ({ core, params }) => {
  const key = str(params['key'])
  const value = params['value']
  const live = core.lives.get(str(params['session_id'])) ?? null
  const told = (result: Json): RpcAnswer => {
    if (live) core.emit(live, 'session.info', sessionInfo(core, live))
    return ok({ key, ...result })
  }
  switch (key) {
    case 'model': {
      if (!live) return fail(4001, 'session not found')
      if (live.run) return fail(4009, 'session busy — /interrupt the current turn before switching models')
      const model = str(value).split(/\s+--/)[0]!.trim().slice(0, 200)
      if (model === '') return fail(4002, 'model required')
      live.session.model = model
      if (live.persisted) core.repo.update(live.session)
      return told({ value: model, warning: '', confirm_required: false, confirm_message: '', scope: 'session' })
    }
    case 'yolo':
      // Only for one conversation, only in memory: a relay that starts again asks again.
      if (!live || (params['scope'] ?? 'session') !== 'session') return fail(4002, 'yolo can be set for one session only')
      live.yolo = yes(value)
      return told({ value, scope: 'session' })
    case 'approvals.mode': return setApprovalsMode(core, value) ? told({ value }) : fail(4002, 'the built-in agent knows the approvals modes manual and off')
    case 'busy': return setBusyMode(core, value) ? ok({ key, value }) : fail(4002, `unknown busy mode: ${String(value)}`)
    case 'reasoning': return value === '' || value === 'none' || value === 'show' || value === 'hide' ? told({ value }) : fail(4002, 'the reasoning effort of this model cannot be set')
    case 'fast': return value === 'fast' ? fail(4002, 'fast mode is not available for this model') : told({ value })
    default: return fail(4002, `unknown config key: ${key}`)
  }
}

const remove: Method = ({ core, params }) => {
  const storedId = str(params['session_id'])
  if (storedId === '') return fail(4006, 'session_id required')
  if (liveOf(core, storedId)) return fail(4023, 'cannot delete an active session')
  return core.repo.remove(storedId) ? ok({ deleted: storedId }) : fail(4007, 'session not found')
}

const list: Method = ({ core, params }) => {
  const limit = typeof params['limit'] === 'number' && params['limit'] > 0 ? Math.min(Math.floor(params['limit']), 500) : 200
  const { sessions } = core.repo.list({ archived: 'include', order: 'created', messagesMin: 1, limit, offset: 0 })
  return ok({ sessions: sessions.map((s) => ({ id: s.storedId, title: s.title, preview: s.preview, started_at: s.startedAtMs / 1_000, message_count: s.messageCount, source: s.source })) })
}

const METHODS: Readonly<Record<string, Method>> = {
  'session.create': create,
  'session.resume': resume,
  'session.activate': withLive(({ core, socketId }, live) => {
    own(core, live, socketId)
    return ok(snapshotOf(core, live))
  }),
  'session.close': withLive(({ core }, live) => {
    dropLive(core, live)
    return ok({ closed: true })
  }),
  'session.active_list': ({ core, params }) => ok({ sessions: activeList(core, params['current_session_id']) }),
  'session.list': list,
  'session.history': withLive(({ core }, live) => {
    const messages = messagesOf(core, live)
    return ok({ count: messages.length, messages })
  }),
  'session.usage': withLive(({ core }, live) => ok(usageOf(core, live))),
  'session.status': withLive(({ core }, live) => ok({
    output: `Built-in agent\n\nSession ID: ${live.session.storedId}\nTitle: ${live.session.title}\nModel: ${live.session.model}\nApprovals: ${core.approvals.mode}\nAgent Running: ${live.run ? 'Yes' : 'No'}`,
  })),
  'session.title': title,
  'session.cwd.set': withLive(() => fail(4017, 'the built-in agent works in its own workspace only')),
  'session.delete': remove,
  'session.interrupt': withLive((_, live) => {
    stopTurn(live, false)
    return ok({ status: 'interrupted' })
  }),
  'session.steer': withLive(({ params }, live) => {
    const text = str(params['text'])
    if (text.trim() === '') return fail(4002, 'text is required')
    return ok({ status: steer(live, text) ? 'queued' : 'rejected', text })
  }),
  'prompt.submit': submit,
  'approval.respond': withLive(({ params }, live) => ok({ resolved: answerAsk(live, 'approval', str(params['choice'])) ? 1 : 0 })),
  'clarify.respond': clarifyRespond,
  'sudo.respond': () => ok({ status: 'expired' }),
  'secret.respond': () => ok({ status: 'expired' }),
  'config.set': configSet,
  'model.options': async ({ core }) => ok(await modelOptions(core)),
  'process.list': withLive(() => ok({ processes: [] })),
  'commands.catalog': () => ok({ pairs: [], sub: {}, canon: {}, categories: [], skill_count: 0, warning: '' }),
  'setup.status': () => ok({ provider_configured: true }),
}

/** Total: a store that fails is an error of this call. */
export async function answerRpc(core: AgentCore, socketId: number, method: string, params: Json): Promise<RpcAnswer> {
  try {
    return Object.hasOwn(METHODS, method) ? await METHODS[method]!({ core, socketId, params }) : fail(-32601, `unknown method: ${method}`)
  } catch (error) {
    if (error instanceof Refused) return fail(5000, `${REFUSALS[error.code].say} ${REFUSALS[error.code].next}`)
    core.log('a mistake of ours in a call', { method, name: error instanceof Error ? error.name : typeof error })
    return fail(5000, 'internal error')
  }
}
