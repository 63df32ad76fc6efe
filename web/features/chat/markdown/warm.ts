/** Reads one small text of every kind while nobody waits: the first long conversation then opens without a long task (spikes-web.md 3). */
import { readBlocks } from './settled-blocks.ts'

const SAMPLE = '# a\n\ntext **b** *c* `d` [e](https://example.org) ~~f~~ https://example.org\n\n- g\n  1. h\n- [x] i\n\n> j\n\n```ts\nk\n```\n\n| l | m |\n|---|--:|\n| n | o |\n\n---\n'
const ROUNDS = 20
let isWarm = false

/** Returns how to give it up. */
export function warmMarkdown(): () => void {
  if (isWarm) return () => undefined
  let rounds = 0
  const idle = 'requestIdleCallback' in globalThis ? (run: () => void) => requestIdleCallback(run, { timeout: 3_000 }) : (run: () => void) => setTimeout(run, 400)
  let over = false
  const once = (): void => {
    if (over) return
    readBlocks(SAMPLE)
    rounds += 1
    if (rounds < ROUNDS) idle(once)
    else isWarm = true
  }
  idle(once)
  return () => { over = true }
}
