/** Reads one small text of every kind while nobody waits: the first long conversation then opens without a long task (spikes-web.md 3). */
import { whenIdle } from '#web/platform/idle.ts'
import { readBlocks } from './settled-blocks.ts'

const SAMPLE = '# a\n\ntext **b** *c* `d` [e](https://example.org) ~~f~~ https://example.org\n\n- g\n  1. h\n- [x] i\n\n> j\n\n```ts\nk\n```\n\n| l | m |\n|---|--:|\n| n | o |\n\n---\n'
const ROUNDS = 20
let started = false

export function warmMarkdown(): void {
  if (started) return
  started = true
  const once = (round: number): void => {
    readBlocks(SAMPLE)
    if (round < ROUNDS) whenIdle(() => once(round + 1), 0)
  }
  once(1)
}
