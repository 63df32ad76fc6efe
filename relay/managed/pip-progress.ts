/** What an installation is doing, read from pip's own lines. Pure. */

export type InstallPhase = 'python' | 'venv' | 'download' | 'install' | 'start' | 'ready' | 'failed'
/** `done` of `total` steps; `line` is for the person. */
export type InstallProgress = { phase: InstallPhase; done: number; total: number; line: string }

/** Longest line that is shown, in UTF-16 units. */
export const LINE_CHARS_MAX = 200
/** Steps after the last download: unpacking, starting. */
export const STEPS_AFTER_DOWNLOAD = 2

/** `packages`: how many are pinned, so at most so many are fetched. Lines that say nothing about progress change nothing. */
export function stepProgress(progress: InstallProgress, rawLine: string, packages: number): InstallProgress {
  const line = rawLine.trim().slice(0, LINE_CHARS_MAX)
  const total = packages + STEPS_AFTER_DOWNLOAD
  const collecting = /^Collecting ([A-Za-z0-9][\w.-]*)/.exec(line)
  if (collecting && progress.phase !== 'install') return { phase: 'download', done: Math.min(packages, (progress.phase === 'download' ? progress.done : 0) + 1), total, line: `Fetching ${collecting[1]}` }
  const fetched = /^(?:Downloading|Using cached) (\S+?)(?:-\d\S*)? ?(\([\d.]+ [kMG]?B\))?$/.exec(line)
  if (fetched && progress.phase === 'download') return { ...progress, line: `Fetching ${fetched[1]}${fetched[2] ? ` ${fetched[2]}` : ''}` }
  const installing = /^Installing collected packages: (.+)$/.exec(line)
  if (installing) return { phase: 'install', done: packages, total, line: `Unpacking ${installing[1]?.split(',').length ?? 0} packages` }
  if (/^Successfully installed /.test(line)) return { phase: 'install', done: packages + 1, total, line: 'All packages are installed' }
  return progress
}

/** What to say of a failed installation: pip's last error, without what may hold a password of an index. */
export function failureLine(lines: readonly string[]): string {
  const error = lines.findLast((line) => /^\s*(?:ERROR|error):/.test(line)) ?? lines.findLast((line) => line.trim() !== '') ?? 'pip said nothing.'
  return error.trim().replace(/^(?:ERROR|error):\s*/, '').replace(/(https?:\/\/)[^\s/@]*@/g, '$1').slice(0, LINE_CHARS_MAX)
}
