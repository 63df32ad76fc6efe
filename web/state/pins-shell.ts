/** The conversations that stand on top, kept in this browser and renewed by what the list says. */
import { createEffect, createMemo, createSignal } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { isPinned, type Pins, PINS_MAX, refreshPins, togglePin } from '#web/core/sessions/pins.ts'
import type { PageStorage } from '#web/storage/page-storage.ts'
import { parseKeptSessions } from './kept-sessions.ts'
import type { SessionsShell } from './sessions-shell.ts'
import type { ToastShell } from './toast-shell.ts'

const KEY = 'pins'
export type PinsShell = ReturnType<typeof createPinsShell>

export function createPinsShell({ settings }: Pick<PageStorage, 'settings'>, sessions: SessionsShell, toast: ToastShell) {
  const [pins, setPins] = createSignal<Pins>([])
  /** One that is being deleted can still be taken back; a reload does not bring it back. */
  const shown = createMemo(() => pins().filter((pin) => !sessions.isHidden(pin.sessionId)))
  const [loaded, setLoaded] = createSignal(false)
  let written = '[]'
  void settings.get(KEY).catch(() => null).then((kept) => {
    const read = parseKeptSessions(kept?.value, PINS_MAX)
    written = JSON.stringify(read)
    setPins((old) => [...read, ...old.filter((pin) => !isPinned(read, pin.sessionId))].slice(0, PINS_MAX))
    setLoaded(true)
  })
  createEffect(() => {
    const text = JSON.stringify(shown())
    if (!loaded() || text === written) return
    written = text
    void settings.put(KEY, { value: shown() }).catch(() => undefined)
  })
  createEffect(() => {
    const rows = sessions.sessions()
    if (!rows || sessions.isOld() || pins().length === 0) return
    const ended = !sessions.hasMore('all')
    const hidden = pins().filter((pin) => sessions.isHidden(pin.sessionId))
    setPins((old) => refreshPins(old, [...rows, ...hidden].toSorted((a, b) => b.activeAtMs - a.activeAtMs), ended))
  })
  return {
    pins: shown,
    has: (sessionId: string) => isPinned(shown(), sessionId),
    /** Another name or place of a conversation that the list may not have read. */
    note(session: Session): void { setPins((old) => (isPinned(old, session.sessionId) ? old.map((pin) => (pin.sessionId === session.sessionId ? session : pin)) : old)) },
    toggle(session: Session): void {
      const next = togglePin(pins(), session)
      if (next) setPins(next)
      else toast.show(`${PINS_MAX} conversations are pinned already. Unpin one first.`)
    },
  }
}
