/**
 * Colours of code by the browser's custom highlights: ranges over the text that is there, so that nothing is drawn anew and nothing moves.
 * A worker finds them. A language that is not known, or a browser without highlights, leaves plain text.
 */
import { trustedScript } from '#web/platform/trusted-types.ts'
import workerUrl from './colour-worker.ts?worker&url'
import type { Kind, Piece } from './colour-pieces.ts'

export type ColourAsk = { text: string; language: string }
/** `null`: it stays plain. */
export type ColourAnswer = { pieces: readonly Piece[] | null }
type Pieces = ColourAnswer['pieces']
type Job = ColourAsk & { done(pieces: Pieces): void }

/** Texts whose colours are remembered. */
const KNOWN_MAX = 200
/** A block that is out of sight again within this time, in ms, only rushed by: a flood must not pay for its colours. */
const PASSING_MS = 150
/** Blocks that wait for the worker; the oldest are the furthest out of sight and stay plain. */
const WAITING_MAX = 32
/** A grammar that is not done after this time, in ms, never will be: a new worker goes on with the others. */
const WORK_WITHIN_MS = 5_000
/** The worker and its grammars hold 20 MB; they go when nothing was asked for so long, in ms. */
const KEPT_MS = 10_000

const known = new Map<string, Pieces>()
let waiting: Job[] = []
let worker: Worker | null = null
let job: Job | null = null
let timer: ReturnType<typeof setTimeout> | undefined

/** Which parts of the text are what. `giveUp` takes it back while it waits. */
export function askColours(ask: ColourAsk, done: (pieces: Pieces) => void): { giveUp(): void } {
  const before = known.get(keyOf(ask))
  if (before !== undefined) { done(before); return { giveUp: () => undefined } }
  const mine: Job = { ...ask, done }
  const stayed = setTimeout(() => {
    waiting.push(mine)
    if (waiting.length > WAITING_MAX) waiting.shift()?.done(null)
    work()
  }, PASSING_MS)
  return { giveUp: () => { clearTimeout(stayed); waiting = waiting.filter((one) => one !== mine) } }
}

const keyOf = ({ text, language }: ColourAsk): string => `${language}\n${text}`

function work(): void {
  if (job) return
  // The newest is the one that came into sight last.
  job = waiting.pop() ?? null
  clearTimeout(timer)
  timer = setTimeout(job ? () => end(null) : retire, job ? WORK_WITHIN_MS : KEPT_MS)
  if (!job) return
  worker ??= startWorker()
  worker.postMessage({ text: job.text, language: job.language } satisfies ColourAsk)
}

function startWorker(): Worker {
  const made = new Worker(trustedScript(workerUrl), { type: 'module' })
  made.onmessage = ({ data }: MessageEvent<ColourAnswer>) => { if (made === worker) end(data.pieces, false) }
  made.onerror = () => { if (made === worker) end(null) } // It could not be loaded: the block stays plain.
  return made
}

function end(pieces: Pieces, isBroken = true): void {
  const ended = job
  job = null
  if (isBroken) retire()
  if (ended) {
    known.set(keyOf(ended), pieces)
    if (known.size > KNOWN_MAX) known.delete(known.keys().next().value ?? '')
    ended.done(pieces)
  }
  work()
}

function retire(): void {
  worker?.terminate()
  worker = null
}

/** Colours the text node; returns how to take the colours off again. */
export function paint(node: Text, pieces: readonly Piece[]): () => void {
  const highlights = (CSS as { highlights?: Map<string, Highlight> }).highlights
  if (!highlights) return () => undefined
  const made: [Kind, StaticRange][] = []
  for (const { from, to, kind } of pieces) {
    if (to > node.length) continue
    // Static ones cost nothing while the page changes elsewhere; this text does not change while they lie on it.
    const range = new StaticRange({ startContainer: node, startOffset: from, endContainer: node, endOffset: to })
    made.push([kind, range])
    const all = highlights.get(`code-${kind}`) ?? new Highlight()
    all.add(range)
    if (!highlights.has(`code-${kind}`)) highlights.set(`code-${kind}`, all)
  }
  return () => { for (const [kind, range] of made) highlights.get(`code-${kind}`)?.delete(range) }
}
