/** Which parts of a code block are what, by the grammar of its language. Runs in a worker (colour-worker.ts): a first block costs 300 ms, most of it grammar. */
import { createHighlighterCore, type HighlighterCore, type ThemeRegistrationRaw } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import { LANGUAGES, type LanguageName } from './colour-languages.ts'

/** Longer code stays plain, in UTF-16 units. */
export const COLOURED_CHARS_MAX = 40_000

const KINDS = {
  comment: ['comment', 'punctuation.definition.comment'], string: ['string', 'markup.inserted', 'punctuation.definition.string'], number: ['constant.numeric', 'constant.language', 'constant.other'],
  keyword: ['keyword', 'storage', 'entity.name.tag'], function: ['entity.name.function', 'support.function', 'meta.function-call'], type: ['entity.name.type', 'support.type', 'support.class', 'entity.other.attribute-name'], deleted: ['markup.deleted'],
} as const
export type Kind = keyof typeof KINDS
const NAMES = Object.keys(KINDS) as Kind[]
const colourOf = (kind: Kind): string => `#00000${NAMES.indexOf(kind) + 1}`
const kindOf = (colour: string | undefined): Kind | null => NAMES.find((kind) => colourOf(kind) === colour?.toLowerCase()) ?? null
const THEME: ThemeRegistrationRaw = { name: 'kinds', type: 'dark', settings: [{ settings: { foreground: '#ffffff' } }, ...NAMES.map((kind) => ({ scope: [...KINDS[kind]], settings: { foreground: colourOf(kind) } }))] }

export type Piece = { from: number; to: number; kind: Kind }
let highlighter: Promise<HighlighterCore> | null = null

/** `null` when the language is not known or the text is too long. */
export async function piecesOf(text: string, language: string): Promise<readonly Piece[] | null> {
  const name = language.toLowerCase().split(/[\s,{]/)[0] ?? ''
  if (!Object.hasOwn(LANGUAGES, name) || text.length > COLOURED_CHARS_MAX) return null
  highlighter ??= createHighlighterCore({ themes: [THEME], langs: [], engine: createJavaScriptRegexEngine({ forgiving: true }) })
  const core = await highlighter
  const grammar = await LANGUAGES[name as LanguageName]()
  await core.loadLanguage(grammar.default)
  const pieces: Piece[] = []
  for (const { color, offset: from, content } of core.codeToTokensBase(text, { lang: grammar.default.at(-1)?.name ?? name, theme: 'kinds' }).flat()) {
    const kind = kindOf(color)
    const to = from + content.length
    if (kind && to > from && to <= text.length) pieces.push({ from, to, kind })
  }
  return pieces
}
