/** A line that names files of the host (contract api-server.md 10.2). Pure. */

/** Files of one line, and UTF-16 units of one path; a line beyond them is prose. */
export const MEDIA_PER_LINE_MAX = 32
export const MEDIA_PATH_MAX = 4_096

/** `token`: the relay knows the file under it. `path`: absolute on the host. */
export type MediaSource = { kind: 'token'; token: string } | { kind: 'path'; path: string }

const TOKEN = /^hermes-relay:\/\/([A-Za-z0-9_-]+)$/
const PATH = /^(?:\/|[A-Za-z]:[\\/].)/s
const WRAPPERS = /^[\s`*_~]*$/
/** Marks of emphasis and sentences behind a path. */
const BEHIND = /[\s`*_~.,;:)}\]]+$/

/** Every file of the line in its order; null when the line is prose: one that is not valid makes all of it so. */
export function readMediaLine(line: string): readonly MediaSource[] | null {
  const [before, ...payloads] = line.split('MEDIA:')
  if (payloads.length === 0 || payloads.length > MEDIA_PER_LINE_MAX || !WRAPPERS.test(before ?? '')) return null
  const sources: MediaSource[] = []
  for (const payload of payloads) {
    const bare = payload.trimStart().replace(BEHIND, '')
    const token = TOKEN.exec(bare)?.[1]
    if (token !== undefined) sources.push({ kind: 'token', token })
    else if (bare.length <= MEDIA_PATH_MAX && PATH.test(bare)) sources.push({ kind: 'path', path: bare })
    else return null
  }
  return sources
}

/** The same file twice in one message is shown once. */
export const mediaKey = (source: MediaSource): string => (source.kind === 'token' ? `relay:${source.token}` : `bare:${source.path}`)
