/** Conversations that a person keeps on top, in this browser: Hermes knows no pins. Each with its last known row, so that it is there before the list is read that far down. Pure. */
import type { Session } from '#protocol/dashboard/session-row.ts'

export const PINS_MAX = 50
export type Pins = readonly Session[]

export const isPinned = (pins: Pins, sessionId: string): boolean => pins.some((pin) => pin.sessionId === sessionId)

/** Null: there are as many as may be. */
export function togglePin(pins: Pins, session: Session): Pins | null {
  if (isPinned(pins, session.sessionId)) return pins.filter((pin) => pin.sessionId !== session.sessionId)
  return pins.length >= PINS_MAX ? null : [...pins, session]
}

/** The list was read: `rows` newest first, `ended` when no older one exists. A pin that should stand in it and does not, is gone. Nothing changed: the same pins. */
export function refreshPins(pins: Pins, rows: readonly Session[], ended: boolean): Pins {
  const known = new Map(rows.map((row) => [row.sessionId, row]))
  const oldestMs = ended ? Number.NEGATIVE_INFINITY : (rows.at(-1)?.activeAtMs ?? Number.POSITIVE_INFINITY)
  const next = pins.flatMap((pin) => { const row = known.get(pin.sessionId); return row ? [row] : pin.activeAtMs > oldestMs ? [] : [pin] })
  return next.length === pins.length && next.every((pin, index) => isSame(pin, pins[index] as Session)) ? pins : next
}

/** What stands on top, and all the others; both newest first. */
export function pinnedFirst(rows: readonly Session[], pins: Pins): { pinned: readonly Session[]; rest: readonly Session[] } {
  if (pins.length === 0) return { pinned: [], rest: rows }
  const known = new Map(rows.map((row) => [row.sessionId, row]))
  const pinned = pins.map((pin) => known.get(pin.sessionId) ?? pin).toSorted((a, b) => b.activeAtMs - a.activeAtMs)
  const ids = new Set(pins.map((pin) => pin.sessionId))
  return { pinned, rest: rows.filter((row) => !ids.has(row.sessionId)) }
}

const isSame = (a: Session, b: Session): boolean => a === b || (a.sessionId === b.sessionId && a.title === b.title && a.preview === b.preview && a.activeAtMs === b.activeAtMs && a.archived === b.archived && a.messageCount === b.messageCount)
