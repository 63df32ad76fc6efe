/**
 * Markdown that grows (spikes-web.md 4): blocks that no later text can change are settled and never read again; only the tail is.
 * The last block stays open; when it is a single line without its end, the block before it too, because a `-`, `|` or `===`
 * may still join it. One endless paragraph, list or table is cut at a line, an item or a row, so that the tail stays small. Pure.
 */
import type { Token, Tokens } from 'marked'
import { reader } from './maths.ts'

/** An open block longer than this is cut where that does not show, in UTF-16 units. */
export const OPEN_CHARS_MAX = 4_096
/** What stays open behind a cut, in UTF-16 units. */
const KEEP_CHARS = 1_024
/** A table of more rows is in pieces, rows of one piece, and those that stay open behind a cut. */
export const TABLE_WHOLE_ROWS = 100
export const TABLE_PIECE_ROWS = 25
const KEEP_ROWS = 8

/** `continues`: the block is the rest of the one before it and is drawn without a gap; `split`: a table in pieces, whose columns are of equal width. */
export type BlockToken = Token & { continues?: true; split?: true }
/** `head`: the first two lines of a table that was cut: the rest of it cannot be read without them. */
export type Blocks = { settled: readonly BlockToken[]; settledText: string; tail: readonly BlockToken[]; tailContinues: boolean; head: string }
export const noBlocks: Blocks = { settled: [], settledText: '', tail: [], tailContinues: false, head: '' }

const isReal = (token: Token): boolean => token.type !== 'space'
const rawOf = (tokens: readonly Token[]): string => tokens.map((token) => token.raw).join('')

export function growBlocks(before: Blocks, text: string): Blocks {
  const base = text.startsWith(before.settledText) ? before : noBlocks
  const tokens = readTail(base, text.slice(base.settledText.length))
  const lastReal = tokens.findLastIndex(isReal)
  if (lastReal < 0) return { ...base, tail: [] }
  const single = !(tokens[lastReal]?.raw ?? '').includes('\n')
  const previous = single ? tokens.slice(0, lastReal).findLastIndex(isReal) : lastReal
  const open = single && previous >= 0 ? previous : lastReal
  const settled = settle(base, tokens.slice(0, open))
  const last = tokens[open]
  if (last?.type === 'table' && open === lastReal) return cutTable(settled, last as Tokens.Table, tokens.slice(open + 1))
  if (!last || open !== lastReal || last.raw.length <= OPEN_CHARS_MAX) return { ...settled, tail: mark(tokens.slice(open).filter(isReal), settled.tailContinues) }
  if (last.type === 'list') return cutList(settled, last as Tokens.List, tokens.slice(open + 1))
  const cut = cutAt(last)
  if (cut === 0) return { ...settled, tail: mark(tokens.slice(open).filter(isReal), settled.tailContinues) }
  const grown = settle(settled, lexBlocks(last.raw.slice(0, cut)))
  return { ...grown, tailContinues: true, tail: mark(lexBlocks(last.raw.slice(cut) + rawOf(tokens.slice(open + 1))).filter(isReal), true) }
}

/** The tail as blocks; their `raw` is what really stands there, also where a table needed its head to be read. */
function readTail({ head }: Blocks, text: string): Token[] {
  const tokens = lexBlocks(head + text)
  const first = tokens[0]
  if (head === '' || first?.type !== 'table') return head === '' ? tokens : lexBlocks(text)
  return [{ ...first, raw: first.raw.slice(head.length), split: true } as Token, ...tokens.slice(1)]
}

function settle(base: Blocks, done: readonly Token[]): Blocks {
  const real = done.filter(isReal)
  if (real.length === 0) return done.length === 0 ? base : { ...base, settledText: base.settledText + rawOf(done) }
  return { settled: [...base.settled, ...mark(real, base.tailContinues)], settledText: base.settledText + rawOf(done), tail: [], tailContinues: false, head: '' }
}

/** Of a growing table pieces are settled, the same that the finished one will have; rows of very long cells are settled as they come. */
function cutTable(base: Blocks, table: Tokens.Table, behind: readonly Token[]): Blocks {
  const rows = table.rows.length
  const isLong = rows > (base.head === '' ? TABLE_WHOLE_ROWS : TABLE_PIECE_ROWS + KEEP_ROWS)
  const keepFrom = isLong ? Math.floor((rows - KEEP_ROWS) / TABLE_PIECE_ROWS) * TABLE_PIECE_ROWS : table.raw.length > OPEN_CHARS_MAX * 4 ? rows - KEEP_ROWS : 0
  const lines = keepFrom <= 0 ? [] : table.raw.split(/(?<=\n)/)
  const headLines = base.head === '' ? 2 : 0
  if (keepFrom <= 0 || lines.length - headLines < rows) return { ...base, tail: mark([table, ...behind].filter(isReal), base.tailContinues) }
  const head = base.head === '' ? lines.slice(0, 2).join('') : base.head
  const piece = (from: number, to: number): BlockToken => ({ ...table, rows: table.rows.slice(from, to), raw: lines.slice(from === 0 ? 0 : headLines + from, headLines + to).join(''), split: true, ...(from > 0 || base.tailContinues ? { continues: true as const } : {}) })
  const done: BlockToken[] = []
  for (let from = 0; from < keepFrom; from += TABLE_PIECE_ROWS) done.push(piece(from, Math.min(keepFrom, from + TABLE_PIECE_ROWS)))
  return { settled: [...base.settled, ...done], settledText: base.settledText + rawOf(done), tail: [piece(keepFrom, rows), ...behind.filter(isReal)], tailContinues: true, head }
}

const mark = (tokens: readonly Token[], continues: boolean): BlockToken[] => tokens.map((token, index) => (index === 0 && continues ? { ...token, continues: true } : token))

/** Of a growing list pieces are settled, the same that the finished one will have. */
function cutList(base: Blocks, list: Tokens.List, behind: readonly Token[]): Blocks {
  const pieces = piecesOf(list)
  const last = pieces.at(-1) as BlockToken
  if (pieces.length === 1) return { ...base, tail: mark([list, ...behind].filter(isReal), base.tailContinues) }
  const done = mark(pieces.slice(0, -1), base.tailContinues)
  return { ...base, settled: [...base.settled, ...done], settledText: base.settledText + rawOf(done), tailContinues: true, tail: mark(lexBlocks(last.raw + rawOf(behind)).filter(isReal), true) }
}

/** Where an endless paragraph may be cut: before a line that begins with a letter; 0 when nowhere. */
function cutAt(token: Token): number {
  if (token.type !== 'paragraph') return 0
  const head = token.raw.slice(0, token.raw.length - KEEP_CHARS)
  const lines = [...head.matchAll(/\n(?=\p{L})/gu)]
  const lastLine = lines.at(-1)
  return lastLine ? lastLine.index + 1 : 0
}

/** A finished text, block by block; endless lists and tables are in pieces, so that no block is too large to draw at once. */
export const readBlocks = (text: string): BlockToken[] => lexBlocks(text).filter(isReal).flatMap(piecesOf)

/** A late definition of a link changes blocks that were settled long before. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m

/**
 * The text is whole: everything is settled. Only with definitions of links, or when a paragraph was cut (bold words may reach over the
 * cut), all of it is read again; what is the same keeps its object.
 */
export function finishBlocks(before: Blocks, text: string): Blocks {
  const grown = DEFINITION.test(text) ? null : growBlocks(before, text)
  if (grown && ![...grown.settled, ...grown.tail].some(({ type, continues }) => type === 'paragraph' && continues)) {
    return { settled: [...grown.settled, ...mark(grown.tail.flatMap(piecesOf), grown.tailContinues)], settledText: text, tail: [], tailContinues: false, head: '' }
  }
  const whole = readBlocks(text)
  const settled = whole.map((token, at) => { const known = before.settled[at]; return known?.raw === token.raw && known.type === token.type && !token.raw.includes('[') ? known : token })
  return { settled, settledText: text, tail: [], tailContinues: false, head: '' }
}

function piecesOf(token: Token): BlockToken[] {
  if (token.type === 'table') return tablePieces(token as Tokens.Table)
  if (token.type !== 'list' || token.raw.length <= OPEN_CHARS_MAX) return [token]
  const list = token as Tokens.List
  const pieces: BlockToken[] = []
  for (let from = 0, at = 0, chars = 0; at < list.items.length; at += 1) {
    chars += list.items[at]?.raw.length ?? 0
    if (chars < OPEN_CHARS_MAX / 2 && at < list.items.length - 1) continue
    const items = list.items.slice(from, at + 1)
    pieces.push({ ...list, items, raw: items.map((item) => item.raw).join(''), start: list.ordered ? Number(list.start || 1) + from : list.start, ...(from > 0 ? { continues: true as const } : {}) })
    from = at + 1
    chars = 0
  }
  return pieces
}

function tablePieces(table: Tokens.Table): BlockToken[] {
  if (table.rows.length <= TABLE_WHOLE_ROWS) return [table]
  const lines = table.raw.split(/(?<=\n)/)
  const pieces: BlockToken[] = []
  for (let at = 0; at < table.rows.length; at += TABLE_PIECE_ROWS) {
    const from = at === 0 ? 0 : at + 2
    pieces.push({ ...table, rows: table.rows.slice(at, at + TABLE_PIECE_ROWS), raw: lines.slice(from, at + TABLE_PIECE_ROWS + 2).join(''), split: true, ...(at > 0 ? { continues: true as const } : {}) })
  }
  return pieces
}

/** The whole text at once. */
export const lexBlocks = (text: string): Token[] => [...reader.lexer(text)]
