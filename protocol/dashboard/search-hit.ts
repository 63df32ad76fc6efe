/** Hits of the search in all messages (contract dashboard.md 5.2). The words found stand between `>>>` and `<<<`. */
import * as z from 'zod/mini'

const Hit = z.object({ session_id: z.union([z.string(), z.number()]), snippet: z.optional(z.nullable(z.string())), title: z.optional(z.nullable(z.string())), model: z.optional(z.nullable(z.string())) })
export type SnippetPart = { text: string; isHit: boolean }
export type SearchHit = { sessionId: string; title: string; snippet: readonly SnippetPart[] }

/** Longer snippets are cut, in characters. */
export const SNIPPET_MAX = 240

/** The first hit of each conversation; null when this is no answer to a search. */
export function parseSearchHits(body: unknown): SearchHit[] | null {
  const results = (body as { results?: unknown } | null)?.results
  if (!Array.isArray(results)) return null
  const found = new Map<string, SearchHit>()
  for (const raw of results as unknown[]) {
    const hit = Hit.safeParse(raw)
    if (!hit.success) continue
    const sessionId = String(hit.data.session_id)
    if (!found.has(sessionId)) found.set(sessionId, { sessionId, title: hit.data.title ?? '', snippet: parseSnippet(hit.data.snippet ?? '') })
  }
  return [...found.values()]
}

export function parseSnippet(text: string): SnippetPart[] {
  return text.slice(0, SNIPPET_MAX).replace(/\s+/g, ' ').split(/(>>>.*?<<<)/).flatMap((part): SnippetPart[] => {
    const inside = /^>>>(.*)<<<$/.exec(part)?.[1]
    const words = (inside ?? part).replaceAll('>>>', '').replaceAll('<<<', '')
    return words === '' ? [] : [{ text: words, isHit: inside !== undefined }]
  })
}
