/** Thoughts that a model writes into its words, between tags (contract api-server.md 10.5). A tag may be split anywhere. Pure. */

export type SpokenPiece = { kind: 'text' | 'reasoning'; text: string }
/** `closer`: the tag that ends the thought, while in one. `held`: an end that may be the beginning of a tag. */
export type TagState = { readonly closer: string | null; readonly held: string }
export const startTags: TagState = { closer: null, held: '' }

const OPENERS = ['<think>', '<thinking>'] as const

export function feedTags(state: TagState, delta: string): { state: TagState; pieces: readonly SpokenPiece[] } {
  const pieces: SpokenPiece[] = []
  let { closer } = state
  let rest = state.held + delta
  for (;;) {
    const tags: readonly string[] = closer === null ? OPENERS : [closer]
    const found = tags.map((tag) => ({ tag, at: rest.indexOf(tag) })).filter(({ at }) => at >= 0).sort((a, b) => a.at - b.at)[0]
    if (!found) {
      const from = heldFrom(rest, tags)
      put(pieces, closer, rest.slice(0, from))
      return { state: { closer, held: rest.slice(from) }, pieces }
    }
    put(pieces, closer, rest.slice(0, found.at))
    rest = rest.slice(found.at + found.tag.length)
    closer = closer === null ? `</${found.tag.slice(1)}` : null
  }
}

/** What was held is no tag; a thought that was never closed is one to the end. */
export const finishTags = ({ closer, held }: TagState): readonly SpokenPiece[] => (held === '' ? [] : [{ kind: closer === null ? 'text' : 'reasoning', text: held }])

function put(pieces: SpokenPiece[], closer: string | null, text: string): void {
  const kind = closer === null ? 'text' : 'reasoning'
  const last = pieces.at(-1)
  if (text === '') return
  if (last?.kind === kind) last.text += text
  else pieces.push({ kind, text })
}

/** Where an end begins that could still become one of the tags. */
function heldFrom(text: string, tags: readonly string[]): number {
  for (let at = Math.max(0, text.length - Math.max(...tags.map(({ length }) => length)) + 1); at < text.length; at += 1) if (tags.some((tag) => tag.startsWith(text.slice(at)))) return at
  return text.length
}
