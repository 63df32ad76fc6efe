/**
 * Assistant text line by line (contract api-server.md 10.1): lines that are marks leave it by their place, never by what they look
 * like elsewhere; fences stay whole; the end that may still become a mark is held back, so that nothing flashes. Pure: same pieces, same end.
 */
import { readAnnotationLine } from './annotation-line.ts'
import { type Card, readCardLine } from './card-line.ts'
import { type MediaSource, mediaKey, readMediaLine } from './media-line.ts'

/** Marks of one message, and tools told as running at once; lines beyond them stay text. */
export const MARKS_MAX = 256
export const OPEN_TOOLS_MAX = 32

/** `at`: UTF-16 offset in the prose before it is trimmed, where the mark stood. */
export type Mark = { at: number } & (
  | { kind: 'media'; key: string; source: MediaSource }
  | { kind: 'card'; key: string; card: Card }
  | { kind: 'tool'; tool: string; phase: 'started' | 'completed' | 'failed' }
)
export type MarkState = {
  readonly prose: string
  readonly hasProse: boolean
  readonly tail: string
  readonly fence: '```' | '~~~' | null
  readonly marks: readonly Mark[]
  readonly openTools: readonly string[]
  readonly readsTools: boolean
}

/** `readsTools`: whether tools told in words are read; only where the server has no tool events. */
export const startMarks = (readsTools = false): MarkState => ({ prose: '', hasProse: false, tail: '', fence: null, marks: [], openTools: [], readsTools })

export function feedMarks(state: MarkState, delta: string): MarkState {
  if (delta === '') return state
  const lines = (state.tail + delta).split('\n')
  const tail = lines.pop() ?? ''
  return { ...lines.reduce(readLine, state), tail }
}

/** The last line is read, tools that were told as running are done, and the outer space goes, once. */
export function finishMarks(state: MarkState): { text: string; marks: readonly Mark[] } {
  const last = state.tail === '' ? state : readLine({ ...state, tail: '' }, state.tail)
  const closed = last.openTools.map((tool): Mark => ({ kind: 'tool', tool, phase: 'completed', at: last.prose.length }))
  return { text: last.prose.trim(), marks: [...last.marks, ...closed] }
}

/** What may be shown while more comes. */
export function shownText(state: MarkState): string {
  const { prose, hasProse, tail } = state
  if (tail === '' || mayBecomeMark(state)) return prose
  return hasProse ? `${prose}\n${tail}` : tail
}

export const readMarks = (text: string, readsTools = false): { text: string; marks: readonly Mark[] } => finishMarks(feedMarks(startMarks(readsTools), text))

function readLine(state: MarkState, line: string): MarkState {
  const start = line.trimStart()
  const delimiter = start.startsWith('```') ? '```' : start.startsWith('~~~') ? '~~~' : null
  if (delimiter !== null && (state.fence === null || state.fence === delimiter)) return withProse({ ...state, fence: state.fence === null ? delimiter : null }, line)
  if (state.fence !== null || start === '' || state.marks.length >= MARKS_MAX) return withProse(state, line)
  const at = state.prose.length
  const media = readMediaLine(line)
  if (media) return withMarks(state, media.map((source) => ({ kind: 'media', key: mediaKey(source), source, at })))
  const card = readCardLine(line)
  if (card) return withMarks(state, [{ kind: 'card', ...card, at }])
  return (state.readsTools ? withTool(state, line) : null) ?? withProse(state, line)
}

const withProse = (state: MarkState, line: string): MarkState => ({ ...state, prose: state.hasProse ? `${state.prose}\n${line}` : line, hasProse: true })

function withMarks(state: MarkState, found: readonly Extract<Mark, { key: string }>[]): MarkState {
  const known = new Set(state.marks.map(nameOf))
  const fresh = found.filter((mark) => { const isFresh = !known.has(nameOf(mark)); known.add(nameOf(mark)); return isFresh })
  return fresh.length === 0 ? state : { ...state, marks: [...state.marks, ...fresh] }
}
const nameOf = (mark: Mark): string => (mark.kind === 'tool' ? '' : `${mark.kind} ${mark.key}`)

/** The tool that a line tells of; null when the line stays text. */
function withTool(state: MarkState, line: string): MarkState | null {
  const said = readAnnotationLine(line)
  if (!said) return null
  const isOpen = state.openTools.includes(said.tool)
  if (said.onlyIfOpen && !isOpen) return null
  const phase = said.says === 'fail' ? 'failed' : said.says === 'complete' || (said.says === 'toggle' && isOpen) ? 'completed' : 'started'
  if (phase === 'started') {
    if (isOpen || state.openTools.length >= OPEN_TOOLS_MAX) return null
    return { ...state, openTools: [...state.openTools, said.tool], marks: [...state.marks, { kind: 'tool', tool: said.tool, phase, at: state.prose.length }] }
  }
  if (!isOpen) return state // Said to be over, and never begun: the line goes, nothing happened.
  return { ...state, openTools: state.openTools.filter((tool) => tool !== said.tool), marks: [...state.marks, { kind: 'tool', tool: said.tool, phase, at: state.prose.length }] }
}

/** A tool's line begins with a sign, quoted or not. */
const SIGN_AHEAD = /^`?(?:\p{Extended_Pictographic}|[✓✗])/u

function mayBecomeMark({ tail, fence, readsTools }: MarkState): boolean {
  if (fence !== null) return false
  const start = tail.trimStart()
  if (mayBegin(start.replace(/^[\s`*_~]+/, ''), 'MEDIA:') || mayBegin(start, 'CARD:{')) return true
  return readsTools && (start === '`' || SIGN_AHEAD.test(start))
}
const mayBegin = (text: string, mark: string): boolean => text.startsWith(mark) || mark.startsWith(text)
