/** Waiting for something that another process does: looked for often, given up with a sentence. */
import { setTimeout as pause } from 'node:timers/promises'

const LOOK_EVERY_MS = 20

export async function until<Found>(what: string, look: () => Found | Promise<Found>, withinMs = 60_000, show?: () => unknown): Promise<NonNullable<Found>> {
  const untilMs = Date.now() + withinMs
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > untilMs) throw new Error(`waited ${withinMs} ms in vain for ${what}${show ? `\n${JSON.stringify(show(), null, 1).slice(0, 6_000)}` : ''}`)
    await pause(LOOK_EVERY_MS)
  }
}
