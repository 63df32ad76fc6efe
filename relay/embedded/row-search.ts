/**
 * The search in conversations of our own hosts: what of a row is looked through, and the piece that is shown of it. Pure. As in a Hermes
 * (its index holds content, tool name and calls of every row), but in values instead of their JSON: nobody looks for braces.
 */
export type SearchedRow = { role: string; content: string; tool_name: string | null; tool_calls: readonly unknown[] | null }
export type Search = {
  /** Every word is somewhere in the row. */
  fits(row: SearchedRow): boolean
  /** The first hit with its surroundings, every hit in it between `>>>` and `<<<`. */
  snippet(row: SearchedRow): string
  /** Plain letters that are in everything that fits, however it is written down; lower case. For looking quickly first. */
  plain: string
}

/** Around a hit, so much is shown, in UTF-16 units. */
const SNIPPET_CHARS = 40

export function createSearch(query: string): Search {
  const words = query.split(/\s+/).filter((word) => word !== '')
  const patterns = words.map((word) => new RegExp(literal(word), 'iu'))
  const phrase = new RegExp(words.map(literal).join('\\s+'), 'iu')
  const hits = new RegExp([phrase.source, ...patterns.map(({ source }) => source)].join('|'), 'giu')
  return {
    fits: (row) => {
      const text = textOf(row)
      return patterns.every((pattern) => pattern.test(text))
    },
    snippet: (row) => {
      const text = textOf(row)
      const first = phrase.exec(text) ?? patterns[0]?.exec(text) ?? { index: 0, 0: '' }
      const end = first.index + first[0].length
      const shown = text.slice(Math.max(0, first.index - SNIPPET_CHARS), end + SNIPPET_CHARS)
      return shown.replace(hits, (hit) => `>>>${hit}<<<`)
    },
    plain: (query.match(/[a-z0-9_]+/gi) ?? []).reduce((longest, part) => (part.length > longest.length ? part : longest), '').toLowerCase(),
  }
}

const literal = (word: string): string => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

function textOf({ role, content, tool_name: tool, tool_calls: calls }: SearchedRow): string {
  return [role === 'tool' ? valuesIn(content) : content, tool ?? '', ...(calls ?? []).map(callText)].filter((part) => part !== '').join(' ')
}

function callText(call: unknown): string {
  const { name, arguments: args } = (call as { function?: { name?: unknown; arguments?: unknown } } | null)?.function ?? {}
  return `${typeof name === 'string' ? name : ''} ${typeof args === 'string' ? valuesIn(args) : ''}`
}

/** Texts and numbers in a JSON text; the text itself when it is none. */
function valuesIn(json: string): string {
  const values: (string | number)[] = []
  try {
    JSON.parse(json, (_name, value: unknown) => {
      if (typeof value === 'string' || typeof value === 'number') values.push(value)
      return value
    })
  } catch {
    return json
  }
  return values.join(' ')
}
