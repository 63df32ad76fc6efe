/**
 * One turn as a person sees it, folded from its events (contract gateway.md 7.1-7.3). Pure; the relay folds for snapshots,
 * the page folds what it receives, and both end with the same turn (lease.md I7).
 */
import * as z from 'zod/mini'
import { isSilenceMarker } from './silence.ts'
import { Todo, type ToolDone, type TurnEnded, type TurnEvent, TurnStatus, Usage } from './turn-event.ts'

export const ToolBlock = z.lazy(() => z.object({
  kind: z.literal('tool'), toolId: z.string(), name: z.string(), state: z.enum(['preparing', 'running', 'done', 'failed']),
  /** False while no server id is known: such a block is matched by name, oldest first. */
  identified: z.boolean(),
  caption: z.nullable(z.string()), args: z.nullable(z.string()), result: z.nullable(z.string()), error: z.nullable(z.string()),
  blocked: z.boolean(), durationS: z.nullable(z.number()), diff: z.nullable(z.string()), todos: z.nullable(z.array(Todo)),
}))
export type ToolBlock = z.infer<typeof ToolBlock>

export const Block = z.lazy(() => z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), sealed: z.boolean() }),
  z.object({ kind: z.literal('thinking'), text: z.string() }),
  ToolBlock,
  z.object({ kind: z.literal('subagent'), index: z.number(), count: z.number(), phase: z.enum(['running', 'done', 'failed']), goal: z.string(), note: z.nullable(z.string()) }),
]))
export type Block = z.infer<typeof Block>

export const TurnOutcome = z.lazy(() => z.object({ status: TurnStatus, error: z.nullable(z.string()), warning: z.nullable(z.string()) }))
export type TurnOutcome = z.infer<typeof TurnOutcome>

export const Turn = z.lazy(() => z.object({
  turnId: z.string(),
  /** `ours`: a message that went through this relay; `agent`: the agent began by itself, or another program did. */
  origin: z.enum(['ours', 'agent']),
  clientMsgId: z.nullable(z.string()),
  /** What the person asked, `null` when the agent began by itself. */
  prompt: z.nullable(z.string()),
  /** `waiting`: accepted by Hermes, nothing heard yet. */
  phase: z.enum(['waiting', 'running', 'ended']),
  stopping: z.boolean(),
  startedAtMs: z.number(),
  blocks: z.array(Block),
  caption: z.string(),
  status: z.string(),
  outcome: z.nullable(TurnOutcome),
  usage: z.nullable(Usage),
  /** True when something that only existed live was missed (lease.md 7b); what is shown was re-read. */
  gap: z.boolean(),
  /** Preview text of the last sealed segment, until the next delta: `ended` may replace it. */
  preview: z.string(),
  /** A delta arrived since the last seal. */
  streamed: z.boolean(),
  toolsSeen: z.number(),
}))
export type Turn = z.infer<typeof Turn>

/** Text kept of one turn, in UTF-16 units; what goes beyond is cut with a mark. */
export const TURN_TEXT_MAX = 4 * 1_024 * 1_024
/** Blocks kept of one turn; older finished tools beyond it fold away. */
export const TURN_BLOCKS_MAX = 2_000
/** Result text kept of one tool, in UTF-16 units; the rest is in the history. */
export const TOOL_RESULT_MAX = 64 * 1_024

export type TurnSeed = { turnId: string; origin: Turn['origin']; clientMsgId: string | null; prompt: string | null; startedAtMs: number }

/** A turn of which nothing was heard yet. */
export const newTurn = (seed: TurnSeed): Turn => ({
  ...seed, phase: 'waiting', stopping: false, blocks: [], caption: '', status: '', outcome: null, usage: null, gap: false, preview: '', streamed: false, toolsSeen: 0,
})

/** The turn after one event. An ended turn changes no more (contract gateway.md 7.2, 7). */
export function stepTurn(turn: Turn, event: TurnEvent): Turn {
  if (turn.phase === 'ended') return turn
  const running: Turn = turn.phase === 'running' ? turn : { ...turn, phase: 'running' }
  switch (event.kind) {
    case 'started': return foldStarted(turn, running)
    case 'text': return foldText(running, event.text)
    case 'sealed': return foldSealed(running, event.text, event.streamed)
    case 'reasoning': return foldReasoning(running, event.text)
    case 'caption': return { ...running, caption: event.text }
    case 'status': return { ...running, status: event.text }
    case 'tool_preparing': return foldToolPreparing(running, event.name)
    case 'tool_started': return foldToolStarted(running, event)
    case 'tool_done': return foldToolDone(running, event)
    case 'subagent': return foldSubagent(running, event)
    case 'ended': return foldEnded(running, event)
  }
}

const append = (turn: Turn, block: Block): Turn => {
  const blocks = [...turn.blocks, block]
  return { ...turn, blocks: blocks.length > TURN_BLOCKS_MAX ? blocks.slice(blocks.length - TURN_BLOCKS_MAX) : blocks }
}
const replaceAt = (turn: Turn, index: number, block: Block): Turn => ({ ...turn, blocks: turn.blocks.with(index, block) })
const lastBlock = (turn: Turn): Block | undefined => turn.blocks.at(-1)

/** Two starts in a row count once for a turn that the agent began; in a sent one the second closes the open text. */
function foldStarted(before: Turn, turn: Turn): Turn {
  const last = lastBlock(turn)
  const fresh = { ...turn, preview: '', streamed: false }
  if (before.phase === 'waiting' || turn.blocks.length === 0) return fresh
  return last?.kind === 'text' && !last.sealed ? replaceAt(fresh, turn.blocks.length - 1, { ...last, sealed: true }) : fresh
}

function foldText(turn: Turn, text: string): Turn {
  if (text === '') return turn
  const last = lastBlock(turn)
  const next = { ...turn, preview: '', streamed: true, caption: '' }
  if (last?.kind === 'text' && !last.sealed) return replaceAt(next, turn.blocks.length - 1, { ...last, text: grow(last.text, text) })
  const head = text.replace(/^\n+/, '') // The first delta after a tool begins with blank lines (gateway.md, Verified 4).
  // A silence marker is only known when its segment is whole: a delta may be the beginning, or a part, of ordinary words.
  return head === '' ? turn : append(next, { kind: 'text', text: grow('', head), sealed: false })
}

/** Text and what follows it, cut with a mark at the limit, wherever the pieces were cut. */
function grow(before: string, text: string): string {
  const room = TURN_TEXT_MAX - before.length
  if (text.length <= room) return before + text
  return room >= 0 ? `${before}${text.slice(0, room)}\n… ` : before // Negative: the mark is there already.
}

function foldSealed(turn: Turn, text: string, streamed: boolean): Turn {
  const last = lastBlock(turn)
  const open = last?.kind === 'text' && !last.sealed ? last : null
  const sealed = { ...turn, streamed: false }
  if (open) {
    const whole = streamed || text === '' ? open.text : open.text === text ? text : open.text + text
    return { ...replaceAt(sealed, turn.blocks.length - 1, { kind: 'text', text: whole, sealed: true }), preview: text || open.text }
  }
  if (streamed || text.trim() === '' || isSilenceMarker(text)) return { ...sealed, preview: text }
  return { ...append(sealed, { kind: 'text', text, sealed: true }), preview: text }
}

function foldReasoning(turn: Turn, text: string): Turn {
  if (text === '') return turn
  const last = lastBlock(turn)
  if (last?.kind === 'thinking') {
    return replaceAt(turn, turn.blocks.length - 1, { kind: 'thinking', text: grow(last.text, text) })
  }
  return append({ ...turn, caption: '' }, { kind: 'thinking', text: grow('', text) })
}

const emptyTool = (toolId: string, name: string): ToolBlock => ({
  kind: 'tool', toolId, name, state: 'preparing', identified: false, caption: null, args: null, result: null, error: null, blocked: false, durationS: null, diff: null, todos: null,
})

function foldToolPreparing(turn: Turn, name: string): Turn {
  const toolsSeen = turn.toolsSeen + 1
  return append({ ...sealOpenText(turn), toolsSeen }, emptyTool(`gateway-tool-${name}-${toolsSeen}`, name))
}

/** A tool ends the open text block, so that what follows begins a new one. A segment that says nothing goes. */
function sealOpenText(turn: Turn): Turn {
  const last = lastBlock(turn)
  if (last?.kind !== 'text' || last.sealed) return turn
  return { ...turn, blocks: [...turn.blocks.slice(0, -1), ...closeBlock(last)] }
}

function foldToolStarted(turn: Turn, event: Extract<TurnEvent, { kind: 'tool_started' }>): Turn {
  const next = { ...sealOpenText(turn), caption: '' }
  const fill = (block: ToolBlock): ToolBlock => ({
    ...block, toolId: event.toolId ?? block.toolId, identified: event.toolId !== null, state: 'running', caption: event.caption ?? block.caption, args: event.args ?? block.args,
  })
  const known = event.toolId === null ? -1 : next.blocks.findIndex((b) => b.kind === 'tool' && b.toolId === event.toolId)
  if (known >= 0) return next // A repeat.
  const placeholder = next.blocks.findIndex((b) => b.kind === 'tool' && b.state === 'preparing' && b.name === event.name)
  if (placeholder >= 0) return replaceAt(next, placeholder, fill(next.blocks[placeholder] as ToolBlock))
  const toolsSeen = next.toolsSeen + 1
  return append({ ...next, toolsSeen }, fill(emptyTool(`gateway-tool-${event.name}-${toolsSeen}`, event.name)))
}

function foldToolDone(turn: Turn, event: ToolDone): Turn {
  const open = (b: Block): b is ToolBlock => b.kind === 'tool' && (b.state === 'running' || b.state === 'preparing')
  const index = event.toolId === null
    ? turn.blocks.findIndex((b) => open(b) && !b.identified && b.state === 'running' && b.name === event.name)
    : turn.blocks.findIndex((b) => b.kind === 'tool' && b.toolId === event.toolId)
  const finish = (block: ToolBlock): ToolBlock => ({
    ...block, state: event.failed ? 'failed' : 'done', args: event.args ?? block.args, result: cut(event.result), error: event.error,
    blocked: event.blocked, durationS: event.durationS, diff: event.diff, todos: event.todos,
  })
  if (index >= 0) {
    const block = turn.blocks[index] as ToolBlock
    return open(block) ? replaceAt(turn, index, finish(block)) : turn
  }
  if (event.toolId === null) return turn // Nothing open under that name: ignored (gateway.md 7.3).
  return append(sealOpenText(turn), finish({ ...emptyTool(event.toolId, event.name), identified: true }))
}

const cut = (text: string | null): string | null => (text !== null && text.length > TOOL_RESULT_MAX ? `${text.slice(0, TOOL_RESULT_MAX)}\n… ` : text)

function foldSubagent(turn: Turn, event: Extract<TurnEvent, { kind: 'subagent' }>): Turn {
  const { kind, index, count, phase, goal, note } = event
  const at = turn.blocks.findLastIndex((b) => b.kind === 'subagent' && b.index === index)
  const before = at >= 0 ? (turn.blocks[at] as Extract<Block, { kind: 'subagent' }>) : null
  if (!before || (before.phase !== 'running' && phase === 'running')) return append(sealOpenText(turn), { kind, index, count, phase, goal, note })
  return replaceAt(turn, at, { ...before, count, phase, goal: goal || before.goal, note: note ?? before.note })
}

/** The rules of contract gateway.md 7.2, in their order. */
function foldEnded(turn: Turn, event: TurnEnded): Turn {
  const failed = event.status === 'error'
  const error = failed ? event.text || (event.error ? `Error: ${event.error}` : 'Error') : event.error
  const settled: Turn = {
    ...foldAnswer(turn, failed ? '' : event.text), phase: 'ended', stopping: false, caption: '', status: '',
    outcome: { status: event.status, error, warning: event.warning }, usage: event.usage ?? turn.usage,
  }
  const thought = settled.blocks.some((b) => b.kind === 'thinking')
  const withThought = thought || !event.reasoning ? settled : { ...settled, blocks: [{ kind: 'thinking' as const, text: event.reasoning }, ...settled.blocks] }
  return { ...withThought, blocks: withThought.blocks.flatMap(closeBlock) }
}

function foldAnswer(turn: Turn, text: string): Turn {
  if (text === '' || isSilenceMarker(text)) return turn
  const { preview, streamed } = turn
  if (preview !== '' && (text.startsWith(preview) || preview.startsWith(text))) {
    const at = turn.blocks.findLastIndex((b) => b.kind === 'text')
    if (at >= 0) return replaceAt(turn, at, { kind: 'text', text, sealed: true })
    return append(turn, { kind: 'text', text, sealed: true })
  }
  if (streamed && preview === '') {
    // Upstream strips its answer, and stores it so; the deltas may end with a blank.
    const at = turn.blocks.findLastIndex((b) => b.kind === 'text')
    const shown = turn.blocks[at]
    return shown?.kind === 'text' && shown.text !== text && shown.text.trim() === text.trim() ? replaceAt(turn, at, { ...shown, text }) : turn
  }
  return append(turn, { kind: 'text', text, sealed: true })
}

/** At the end nothing stays open: empty and silent bubbles go, tools without a result are said to be unfinished. */
function closeBlock(block: Block): Block[] {
  if (block.kind === 'text') return block.text.trim() === '' || isSilenceMarker(block.text) ? [] : [{ ...block, sealed: true }]
  if (block.kind === 'tool' && block.state === 'preparing') return []
  return [block]
}
