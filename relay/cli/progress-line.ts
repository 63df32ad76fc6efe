/** An installation in the terminal: one line that is written over, or, where the terminal cannot do that, one line for each phase. */
import { progressText } from './ready-words.ts'

type Progress = { phase: string; done: number; total: number; line: string }
type Output = { write(text: string): unknown; isTTY?: boolean; columns?: number }

/** `output` null: said nowhere (a program reads it from the relay). Only installations are shown, not each start. */
export function createProgressLine(output: Output | null): (progress: Progress) => void {
  let phase = ''
  let isShown = false
  return (progress) => {
    if (output === null) return
    isShown ||= progress.phase === 'python' || progress.phase === 'failed'
    const isLast = progress.phase === 'ready' || progress.phase === 'failed'
    if (!isShown || (!output.isTTY && progress.phase === phase)) return
    phase = progress.phase
    const text = progressText(progress)
    if (!output.isTTY || isLast) output.write(`${output.isTTY ? '\r\u001B[K' : ''}${text}\n`)
    else output.write(`\r\u001B[K${text.slice(0, (output.columns ?? 80) - 1)}`)
    if (isLast) isShown = false
  }
}
