/** What a tool does, in one line: its telling argument, so that a step reads the same live and from the history. Pure. */
import type { ToolBlock } from '#protocol/turn/turn-fold.ts'

const TELLING = ['command', 'path', 'file_path', 'query', 'url', 'pattern', 'question', 'code', 'goal'] as const

export function toolSummary({ args, caption }: Pick<ToolBlock, 'caption' | 'args'>): string {
  return (args === null ? null : fromArgs(args)) ?? caption ?? ''
}

function fromArgs(args: string): string | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(args)
  } catch {
    return args // Some tools take plain words.
  }
  if (typeof parsed !== 'object' || parsed === null) return String(parsed)
  const record = parsed as Record<string, unknown>
  const words = TELLING.map((key) => record[key]).find((value) => typeof value === 'string') ?? Object.values(record).find((value) => typeof value === 'string')
  return typeof words === 'string' ? words.replace(/\s+/g, ' ').trim() : null
}

/** Longer lines are cut on most screens, so that the arguments say more. */
const SURELY_WHOLE_CHARS = 64

/** True when the line of the step already says all that went in. */
export function saysAll(args: string, line: string): boolean {
  if (line.length > SURELY_WHOLE_CHARS) return false
  try {
    const parsed: unknown = JSON.parse(args)
    const values = typeof parsed === 'object' && parsed !== null ? Object.values(parsed) : [parsed]
    return values.length === 1 && values[0] === line
  } catch {
    return args === line
  }
}
