/** A schedule of faults, made from a seed: what people do, and what breaks in which moment. Data, so that it can be printed and replayed. */
import { createSeededChance } from '#tests/world/seeded-chance.ts'

/** What breaks. Each heals by itself after `healMs`. */
export const FAULTS = ['page_cut', 'page_freeze', 'page_kill', 'relay_kill', 'upstream_cut', 'upstream_freeze', 'hermes_kill'] as const
export type Fault = (typeof FAULTS)[number]

/** In which moment of the conversation. `submitting`: the submit is on the wire; `waiting`: taken, nothing heard yet. */
export const PHASES = ['idle', 'submitting', 'waiting', 'streaming', 'tool', 'asking', 'queued'] as const
export type Phase = (typeof PHASES)[number]

export type Break = { fault: Fault; phase: Phase; /** Frames that still pass after the moment came. */ frames: number; healMs: number; page: number }
export type Deed =
  | { kind: 'send'; page: number; text: string }
  | { kind: 'stop'; page: number } | { kind: 'answer'; page: number; pick: number } | { kind: 'remove'; page: number } | { kind: 'release'; page: number }
  | { kind: 'foreign'; text: string } | { kind: 'takeover'; page: number }
export type Schedule = { seed: number; pages: number; deeds: { afterMs: number; deed: Deed }[]; breaks: Break[]; foreign: boolean }

/** Prompts that drive the player through every face of a turn; the number makes each text unique. */
const PROMPTS = [
  (n: number) => `say: answer ${n}`, (n: number) => `count ${20 + (n % 20)} 60`, (n: number) => `think: thought ${n}`, (n: number) => `chain: echo a${n} | sleep 1; echo b${n}`,
  (n: number) => `danger ${n}`, (n: number) => `ask Which ${n}?|red|blue`, (n: number) => `para: echo p${n} | echo q${n}`, (n: number) => `slow ${200 + n * 10}`,
  // Hermes stores this one in other words.
  (n: number) => `say: look ${n} @folder:here and @diff`,
]

export function makeSchedule(seed: number): Schedule {
  const chance = createSeededChance(seed)
  const pick = <T>(list: readonly T[]): T => list[Math.floor(chance.unit() * list.length)] as T
  const upTo = (max: number): number => Math.floor(chance.unit() * (max + 1))
  const pages = 2 + upTo(1)
  const foreign = chance.unit() < 0.12
  const deeds: Schedule['deeds'] = []
  for (let n = 0; n < 3 + upTo(3); n += 1) {
    deeds.push({ afterMs: n === 0 ? 100 : 200 + upTo(4_000), deed: { kind: 'send', page: n === 0 ? 0 : upTo(pages - 1), text: `${pick(PROMPTS)(n + 1)}  #${seed}-${n}` } })
    const extra = chance.unit()
    if (extra < 0.12) deeds.push({ afterMs: upTo(2_000), deed: { kind: 'stop', page: upTo(pages - 1) } }, { afterMs: 2_000 + upTo(1_000), deed: { kind: 'release', page: upTo(pages - 1) } })
    else if (extra < 0.2) deeds.push({ afterMs: upTo(500), deed: { kind: 'remove', page: upTo(pages - 1) } })
    else if (extra < 0.28 && foreign) deeds.push({ afterMs: upTo(3_000), deed: { kind: 'foreign', text: `say: from elsewhere #f${n}` } })
    else if (extra < 0.34 && foreign) deeds.push({ afterMs: upTo(3_000), deed: { kind: 'takeover', page: upTo(pages - 1) } })
    if (chance.unit() < 0.6) deeds.push({ afterMs: 500 + upTo(3_000), deed: { kind: 'answer', page: upTo(pages - 1), pick: upTo(3) } })
  }
  const breaks = Array.from({ length: 4 + upTo(3) }, (): Break => ({ fault: pick(FAULTS), phase: pick(PHASES), frames: upTo(5), healMs: upTo(chance.unit() < 0.3 ? 8_000 : 1_500), page: upTo(pages - 1) }))
  return { seed, pages, deeds, breaks, foreign }
}
