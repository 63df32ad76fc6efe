/** Tools told in words, for servers without tool events (contract api-server.md 10.4). Only a whole line counts, and only with a sign in front. Pure. */

export type Annotation = { tool: string; says: 'toggle' | 'start' | 'complete' | 'fail'; /** The line stays text when the tool is not open. */ onlyIfOpen: boolean }

const SIGN = String.raw`(?:\p{Extended_Pictographic}|[✓✗])(?:️|‍\p{Extended_Pictographic})*`
const QUOTED = new RegExp(`^\`(${SIGN}) (\\S[^\`]*)\`$`, 'u')
const RUNNING = /^(?:🔧|⏳|🔄|💻|🔍|📝|🛠)️? Running:? (\S+)$/u
const DONE = /^(?:✅|✓)️? (?:Completed|Done):? (\S+)$/u
const FAILED = /^(?:❌|✗)️? (?:Failed|Error):? (\S+)$/u

export function readAnnotationLine(line: string): Annotation | null {
  const bare = line.trim()
  const quoted = QUOTED.exec(bare)
  if (quoted) {
    const sign = (quoted[1] ?? '').replaceAll('️', '')
    return { tool: (quoted[2] ?? '').trim(), says: '✅✓☑'.includes(sign) ? 'complete' : '❌✗⚠'.includes(sign) ? 'fail' : 'toggle', onlyIfOpen: false }
  }
  const running = RUNNING.exec(bare)?.[1]
  if (running !== undefined) return { tool: running, says: 'start', onlyIfOpen: false }
  const done = DONE.exec(bare)?.[1]
  if (done !== undefined) return { tool: done, says: 'complete', onlyIfOpen: true }
  const failed = FAILED.exec(bare)?.[1]
  return failed === undefined ? null : { tool: failed, says: 'fail', onlyIfOpen: true }
}
