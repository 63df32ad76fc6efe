/** The rows of the virtual transcript: one block of an answer, one message, one strip of tools. Every key is stable for the row's life. */
import type { DisplayItem } from '#web/core/transcript/transcript.ts'
import type { AskView } from '#protocol/turn/ask.ts'
import type { Block, ToolBlock, Turn, TurnOutcome } from '#protocol/turn/turn-fold.ts'
import type { BlockToken } from '../markdown/settled-blocks.ts'

type Subagent = Extract<Block, { kind: 'subagent' }>
export type UserItem = Extract<DisplayItem, { kind: 'user' }>

type Body =
  | { kind: 'stamp'; atMs: number }
  | { kind: 'user'; message: UserItem }
  | { kind: 'notice'; text: string }
  | { kind: 'gap' }
  | { kind: 'thinking'; text: string; open: boolean; durationS: number | null }
  /** `ended`: what is not done by now never will be. */
  | { kind: 'tools'; tools: readonly ToolBlock[]; asks: readonly AskView[]; ended: boolean }
  | { kind: 'subagent'; block: Subagent }
  | { kind: 'block'; token: BlockToken; level: number; live: boolean }
  | { kind: 'asks'; asks: readonly AskView[] }
  | { kind: 'lane'; turn: Turn }
  /** Below a finished answer: copy, time. `text` gives the whole answer when asked. */
  | { kind: 'foot'; atMs: number; text: () => string }
  | { kind: 'end'; outcome: TurnOutcome; turnId: string | null }

/** `item`: the message that the row belongs to; `who` says whose it is, once, on the first row of it. */
export type Row = Body & { key: string; item: string; estimatePx: number; who: 'you' | 'agent' | null }

const LINE_CHARS = 84
const lines = (text: string): number => Math.ceil(text.length / LINE_CHARS) + (text.match(/\n/g)?.length ?? 0)

/** How high a block will be, more or less, in px: measured as soon as it is near the eye. */
export function blockPx(token: BlockToken): number {
  switch (token.type) {
    case 'code': return 76 + Math.min(40, token.raw.split('\n', 42).length) * 20
    case 'table': return 24 + Math.min(100, token.raw.split('\n', 102).length) * 39
    case 'list': return 8 + lines(token.raw) * 25
    case 'heading': return 40
    case 'hr': return 18
    default: return 10 + lines(token.raw) * 23
  }
}
export const userPx = (text: string): number => 34 + Math.min(14, lines(text)) * 23
