/** The invariants of lease.md 6, asked of a world that has come to rest. Each answers with the sentences that are not true. */
import { isDeepStrictEqual } from 'node:util'
import { foldHistory } from '#protocol/turn/history-fold.ts'
import { MessageRow } from '#protocol/dashboard/message-row.ts'
import { isSamePrompt } from '#protocol/turn/same-prompt.ts'
import type { LiveView } from '#protocol/live/live-view.ts'
import type { FaultWorld } from './fault-world.ts'

const RESPONDS = new Set(['approval.respond', 'clarify.respond', 'sudo.respond', 'secret.respond'])
const BINDS = new Set(['session.create', 'session.resume', 'session.activate', 'prompt.submit'])

export function brokenInvariants(world: FaultWorld): string[] {
  return [...world.problems, ...delivery(world), ...callsMade(world), ...views(world), ...history(world)]
}

function delivery(world: FaultWorld): string[] {
  const broken: string[] = []
  const rows = world.host.storedIds.flatMap((id) => world.host.userRows(id)).map((row) => String(row.content))
  for (const [clientMsgId, text] of world.sent) {
    const count = rows.filter((row) => isSamePrompt(row, text)).length
    const stored = world.relay.journal.messages.get(clientMsgId)
    if (count > 1) broken.push(`I1: ${clientMsgId} has ${count} rows`)
    if (stored && !['confirmed', 'failed', 'unconfirmed', 'removed'].includes(stored.state)) broken.push(`I2: ${clientMsgId} ended as ${stored.state}`)
    if (stored?.state === 'confirmed' && count !== 1) broken.push(`I2: ${clientMsgId} is confirmed without a row`)
    if (stored?.state === 'failed') broken.push(`I2: ${clientMsgId} failed: ${stored.reason}`)
    if (stored?.state === 'unconfirmed' && world.hermesDeaths === 0 && world.foreignDeeds === 0) broken.push(`I3: ${clientMsgId} is unconfirmed though Hermes never died`)
    if (stored?.state === 'removed' && count > 0) broken.push(`I2: ${clientMsgId} was removed and sent`)
    if (!stored && world.pages.every((page) => !page.stored.has(clientMsgId)) && count === 0 && !world.neverWritten.has(clientMsgId)) broken.push(`lost: ${clientMsgId}`)
  }
  return broken
}

function callsMade(world: FaultWorld): string[] {
  const broken: string[] = []
  const ours = world.host.submits.filter((s) => !s.foreign)
  if (world.foreignDeeds === 0 && ours.some((s) => s.status === 'queued')) broken.push('I4: a message was submitted while a turn ran')
  const interrupts = world.host.calls.filter((c) => c.method === 'session.interrupt').length
  if (interrupts > world.stops) broken.push(`I5: ${interrupts} interrupts for ${world.stops} stops`)
  const answers = new Map<string, Set<string>>()
  for (const call of world.host.calls.filter((c) => RESPONDS.has(c.method) && typeof c.params['request_id'] === 'string')) {
    const id = String(call.params['request_id'])
    answers.set(id, (answers.get(id) ?? new Set()).add(JSON.stringify(call.params)))
  }
  for (const [id, different] of answers) if (different.size > 1) broken.push(`I6: ${id} got ${different.size} different answers`)
  if (world.host.calls.some((c) => BINDS.has(c.method) && c.storedId === world.lookedAt)) broken.push('I9: looking at a conversation touched it')
  const activates = world.host.calls.filter((c) => c.method === 'session.activate').length
  if (activates > world.hand.lost + world.takeovers) broken.push(`I10: ${activates} activates for ${world.hand.lost} lost sockets`)
  return broken
}

/** I7: what a page folded from snapshot and tail is what the relay has. And it never had to heal a hole. */
function views(world: FaultWorld): string[] {
  const broken: string[] = []
  const lease = world.lease
  if (!lease) return ['the relay has no lease']
  for (const page of world.pages) {
    if (!page.isLive) broken.push(`I7: ${page.deviceName} is not attached`)
    else if (!sameView(page.view, lease.view)) broken.push(`I7: ${page.deviceName} sees something else than the relay`)
    if (page.attaches > page.linkUps + page.wakes) broken.push(`I7: ${page.deviceName} attached ${page.attaches} times for ${page.linkUps} lines`)
  }
  return broken
}

const sameView = (a: LiveView, b: LiveView): boolean => isDeepStrictEqual({ ...a, session: '' }, { ...b, session: '' })

/** I8: the last turn, as folded live, says what the stored rows say. */
function history(world: FaultWorld): string[] {
  const view = world.lease?.view
  if (!view?.storedId) return []
  const rows = world.host.rows(view.storedId).map((row) => MessageRow.parse({ ...row }))
  const broken: string[] = []
  const last = rows.at(-1)?.id ?? 0
  if ((view.historyAnchor ?? 0) < last) broken.push(`I8: rows up to ${last} exist, devices were told of ${view.historyAnchor}`)
  const { turn } = view
  if (turn?.outcome?.status !== 'complete' || turn.gap || world.foreignDeeds > 0) return broken
  const stored = foldHistory(rows).filter((item) => item.kind === 'turn').at(-1)
  const said = (blocks: readonly { kind: string; text?: string }[]): string => blocks.flatMap((b) => (b.kind === 'text' ? [b.text ?? ''] : [])).join('\n').trim()
  if (stored?.kind === 'turn' && said(stored.blocks) !== said(turn.blocks)) broken.push(`I8: live said ${JSON.stringify(said(turn.blocks).slice(0, 80))}, stored is ${JSON.stringify(said(stored.blocks).slice(0, 80))}`)
  return broken
}
