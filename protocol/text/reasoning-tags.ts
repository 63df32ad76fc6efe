/**
 * Thoughts that a model writes into its words, between tags (contract api-server.md 10.5). A tag may be split anywhere. Pure.
 * Of a bare model only a tag at the very beginning counts, so that an answer may speak about the tag.
 */

export type SpokenPiece = { kind: 'text' | 'reasoning'; text: string }
/** `closer`: the tag that ends the thought, while in one. `held`: an end that may be the beginning of a tag. */
export type TagState = { readonly onlyAtStart: boolean; readonly at: 'start' | 'words' | 'behind'; readonly closer: string | null; readonly held: string }
export const startTags = (onlyAtStart = false): TagState => ({ onlyAtStart, at: onlyAtStart ? 'start' : 'words', closer: null, held: '' })

const OPENERS = ['<think>', '<thinking>'] as const

export function feedTags(before: TagState, delta: string): { state: TagState; pieces: readonly SpokenPiece[] } {
  const pieces: SpokenPiece[] = []
  let state: TagState = { ...before, held: before.held + delta }
  for (;;) {
    const next = step(state, pieces)
    if (next.isDone) return { state: next.state, pieces }
    state = next.state
  }
}

/** What was held is no tag; a thought that was never closed is one to the end. */
export const finishTags = ({ closer, held }: TagState): readonly SpokenPiece[] => (held === '' ? [] : [{ kind: closer === null ? 'text' : 'reasoning', text: held }])

/** One part of what is held: up to a tag, or all that is certain. */
function step(state: TagState, pieces: SpokenPiece[]): { state: TagState; isDone: boolean } {
  const { held, closer, onlyAtStart } = state
  if (state.at === 'start') return begin(state)
  if (state.at === 'behind') { // Blank lines between the thought and the answer are nobody's.
    const rest = held.trimStart()
    return { state: { ...state, held: rest, at: rest === '' ? 'behind' : 'words' }, isDone: rest === '' }
  }
  const tags: readonly string[] = closer !== null ? [closer] : onlyAtStart ? [] : OPENERS
  const found = tags.map((tag) => ({ tag, from: held.indexOf(tag) })).filter(({ from }) => from >= 0).sort((a, b) => a.from - b.from)[0]
  const to = found ? found.from : heldFrom(held, tags)
  put(pieces, closer, held.slice(0, to))
  if (!found) return { state: { ...state, held: held.slice(to) }, isDone: true }
  const rest = held.slice(found.from + found.tag.length)
  if (closer === null) return { state: { ...state, closer: closerOf(found.tag), held: rest }, isDone: false }
  return { state: { ...state, closer: null, held: rest, at: onlyAtStart ? 'behind' : 'words' }, isDone: false }
}

function begin(state: TagState): { state: TagState; isDone: boolean } {
  const begun = state.held.trimStart()
  const opener = OPENERS.find((tag) => begun.startsWith(tag))
  if (opener) return { state: { ...state, at: 'words', closer: closerOf(opener), held: begun.slice(opener.length) }, isDone: false }
  if (OPENERS.some((tag) => tag.startsWith(begun))) return { state, isDone: true }
  return { state: { ...state, at: 'words' }, isDone: false }
}

const closerOf = (opener: string): string => `</${opener.slice(1)}`

function put(pieces: SpokenPiece[], closer: string | null, text: string): void {
  const kind = closer === null ? 'text' : 'reasoning'
  const last = pieces.at(-1)
  if (text === '') return
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

/** Where an end begins that could still become one of the tags. */
function heldFrom(text: string, tags: readonly string[]): number {
  for (let at = Math.max(0, text.length - Math.max(0, ...tags.map(({ length }) => length)) + 1); at < text.length; at += 1) if (tags.some((tag) => tag.startsWith(text.slice(at)))) return at
  return text.length
}
