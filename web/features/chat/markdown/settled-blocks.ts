/**
 * Markdown that grows (spikes-web.md 4): blocks that no later text can change are settled and never read again; only the tail is.
 * The last block stays open; when it is a single line without its end, the block before it too, because a `-`, `|` or `===`
 * may still join it.
 */
import { Lexer, type Token } from 'marked'

export type Blocks = { settled: readonly Token[]; settledText: string; tail: readonly Token[] }
export const noBlocks: Blocks = { settled: [], settledText: '', tail: [] }

const isReal = (token: Token): boolean => token.type !== 'space'

export function growBlocks(before: Blocks, text: string): Blocks {
  const base = text.startsWith(before.settledText) ? before : noBlocks
  const tokens = lexBlocks(text.slice(base.settledText.length))
  const lastReal = tokens.findLastIndex(isReal)
  if (lastReal < 0) return { ...base, tail: tokens }
  const single = !(tokens[lastReal]?.raw ?? '').includes('\n')
  const previous = single ? tokens.slice(0, lastReal).findLastIndex(isReal) : lastReal
  const open = single && previous >= 0 ? previous : lastReal
  const done = tokens.slice(0, open)
  if (done.length === 0) return { ...base, tail: tokens }
  return { settled: [...base.settled, ...done.filter(isReal)], settledText: base.settledText + done.map((token) => token.raw).join(''), tail: tokens.slice(open).filter(isReal) }
}

/** The whole text at once. */
export const lexBlocks = (text: string): Token[] => new Lexer({ gfm: true, breaks: true }).lex(text)
