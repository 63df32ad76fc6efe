/** Which socket hears a live conversation, for every host of ours: one at a time, moved in silence, let go a while after it left (gateway.md, Verified 8, 10). */
import type { TimerHandle } from '#relay/clock/clock.ts'

export type OnLine = { liveId: string; socketId: number | null; run: object | null; reap: TimerHandle | null }
export type LineKeeper<Live extends OnLine> = { lives: Map<string, Live>; schedule(run: () => void, delayMs: number): TimerHandle; cancel(handle: TimerHandle | null): void }

/** All events of the conversation go to this socket from now on. Nobody is told. */
export function giveLine<Live extends OnLine>(core: LineKeeper<Live>, live: Live, socketId: number | null): void {
  core.cancel(live.reap)
  live.reap = null
  live.socketId = socketId
}

/** A socket is gone: its conversations lose their listener, run on, and are let go later if they are idle then. Fires once: a turn that outlives it leaves the conversation live. */
export function orphanLines<Live extends OnLine>(core: LineKeeper<Live>, socketId: number, graceMs: number): void {
  for (const live of core.lives.values()) {
    if (live.socketId !== socketId) continue
    giveLine(core, live, null)
    live.reap = core.schedule(() => {
      live.reap = null
      if (live.socketId === null && live.run === null) core.lives.delete(live.liveId)
    }, graceMs)
  }
}

/** A stored id as hermes-agent makes them: the second, then six hexadecimal digits. */
export const storedIdOf = (atMs: number, hex6: string): string => `${new Date(atMs).toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '_')}_${hex6}`
