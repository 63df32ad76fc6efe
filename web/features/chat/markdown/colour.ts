/**
 * Colours of code by the browser's custom highlights: ranges over the text that is there, so that nothing is drawn anew and nothing moves.
 * A chunk of its own; a language that is not known, or a browser without highlights, leaves plain text.
 */
import { createHighlighterCore, type HighlighterCore, type ThemeRegistrationRaw } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import { LANGUAGES, type LanguageName } from './colour-languages.ts'

/** Longer code stays plain, in UTF-16 units. */
export const COLOURED_CHARS_MAX = 40_000
/** Lines read between two chances for a key. */
const LINES_A_SLICE = 25
/** Texts whose colours are remembered. */
const KNOWN_MAX = 200

const KINDS = {
  comment: ['comment', 'punctuation.definition.comment'], string: ['string', 'markup.inserted', 'punctuation.definition.string'], number: ['constant.numeric', 'constant.language', 'constant.other'],
  keyword: ['keyword', 'storage', 'entity.name.tag'], function: ['entity.name.function', 'support.function', 'meta.function-call'], type: ['entity.name.type', 'support.type', 'support.class', 'entity.other.attribute-name'], deleted: ['markup.deleted'],
} as const
type Kind = keyof typeof KINDS
const NAMES = Object.keys(KINDS) as Kind[]
const colourOf = (kind: Kind): string => `#00000${NAMES.indexOf(kind) + 1}`
const kindOf = (colour: string | undefined): Kind | null => NAMES.find((kind) => colourOf(kind) === colour?.toLowerCase()) ?? null
const THEME: ThemeRegistrationRaw = { name: 'kinds', type: 'dark', settings: [{ settings: { foreground: '#ffffff' } }, ...NAMES.map((kind) => ({ scope: [...KINDS[kind]], settings: { foreground: colourOf(kind) } }))] }

type Piece = { from: number; to: number; kind: Kind }
const known = new Map<string, readonly Piece[]>()
let highlighter: Promise<HighlighterCore> | null = null
const pause = (): Promise<void> => new Promise((resolve) => { if ('requestIdleCallback' in globalThis) requestIdleCallback(() => resolve(), { timeout: 500 }); else setTimeout(resolve, 16) })

/** Which parts of the text are what; `null` when the language is not known. Out-of-range and reversed spans are dropped. */
export async function piecesOf(text: string, language: string, rest: () => Promise<void> = pause): Promise<readonly Piece[] | null> {
  const name = language.toLowerCase().split(/[\s,{]/)[0] ?? ''
  if (!Object.hasOwn(LANGUAGES, name) || text.length > COLOURED_CHARS_MAX) return null
  const key = `${name}\n${text}`
  const before = known.get(key)
  if (before) return before
  highlighter ??= createHighlighterCore({ themes: [THEME], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) })
  const core = await highlighter
  const grammar = await LANGUAGES[name as LanguageName]()
  await core.loadLanguage(grammar.default)
  const lang = grammar.default.at(-1)?.name ?? name
  const pieces: Piece[] = []
  const lines = text.split('\n')
  let state: ReturnType<HighlighterCore['getLastGrammarState']> | undefined
  for (let at = 0, offset = 0; at < lines.length; at += LINES_A_SLICE) {
    const part = lines.slice(at, at + LINES_A_SLICE).join('\n')
    const tokens = core.codeToTokensBase(part, { lang, theme: 'kinds', ...(state ? { grammarState: state } : {}) })
    for (const token of tokens.flat()) {
      const kind = kindOf(token.color)
      const [from, to] = [offset + token.offset, offset + token.offset + token.content.length]
      if (kind && to > from && to <= text.length) pieces.push({ from, to, kind })
    }
    state = core.getLastGrammarState(part, { lang, theme: 'kinds', ...(state ? { grammarState: state } : {}) })
    offset += part.length + 1
    await rest()
  }
  known.set(key, pieces)
  if (known.size > KNOWN_MAX) known.delete(known.keys().next().value ?? '')
  return pieces
}

/** Colours the text node; returns how to take the colours off again. */
export function paint(node: Text, pieces: readonly Piece[]): () => void {
  const highlights = (CSS as { highlights?: Map<string, Highlight> }).highlights
  if (!highlights) return () => undefined
  const made: [Kind, Range][] = []
  for (const { from, to, kind } of pieces) {
    if (to > node.length) continue
    const range = new Range()
    range.setStart(node, from)
    range.setEnd(node, to)
    made.push([kind, range])
    const all = highlights.get(`code-${kind}`) ?? new Highlight()
    all.add(range)
    if (!highlights.has(`code-${kind}`)) highlights.set(`code-${kind}`, all)
  }
  return () => { for (const [kind, range] of made) highlights.get(`code-${kind}`)?.delete(range) }
}
