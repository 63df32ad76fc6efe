/**
 * What lies over the page: popovers, bars, sheets, drawers; the last one on top. Back and Escape close the top one first.
 * Each layer has one entry in the browser's history. Moving through a history takes a while, so the core keeps what it wants apart from
 * what is there, and wishes for one move at a time; entries that nobody closed are walked over.
 */
export const LAYERS_MAX = 32

/** `entries`: those of ours in the history now. `moving`: a move was ordered and has not arrived. */
export type LayersState = { ids: readonly number[]; entries: number; moving: boolean }
export type LayersInput =
  | { kind: 'opened'; id: number } | { kind: 'closed'; id: number } | { kind: 'escape_pressed' }
  | { kind: 'arrived'; entries: number } // The history stands here now: our move, or the person's.
  | { kind: 'settle_due' }
export type LayersEffect = { kind: 'close'; id: number } | { kind: 'add_entry'; entries: number } | { kind: 'go_back'; by: number }

export const initialLayers = (entries: number): LayersState => ({ ids: [], entries, moving: false })
/** True while the history holds entries that belong to a layer. */
export const isSettled = (state: LayersState): boolean => !state.moving && state.entries === state.ids.length

export function stepLayers(state: LayersState, input: LayersInput): readonly [LayersState, ...LayersEffect[]] {
  switch (input.kind) {
    case 'opened': {
      const ids = [...state.ids.filter((id) => id !== input.id), input.id]
      const over = ids.slice(0, Math.max(0, ids.length - LAYERS_MAX))
      return [{ ...state, ids: ids.slice(over.length) }, ...over.map((id) => ({ kind: 'close', id }) as const)]
    }
    case 'closed': return [{ ...state, ids: state.ids.filter((id) => id !== input.id) }]
    case 'escape_pressed': return closeDownTo(state, Math.max(0, state.ids.length - 1))
    case 'arrived': {
      const there = { ...state, entries: Math.max(0, input.entries), moving: false }
      return state.moving ? [there] : closeDownTo(there, there.entries)
    }
    case 'settle_due': return settle(state)
  }
}

function closeDownTo(state: LayersState, count: number): readonly [LayersState, ...LayersEffect[]] {
  return [{ ...state, ids: state.ids.slice(0, count) }, ...state.ids.slice(count).reverse().map((id) => ({ kind: 'close', id }) as const)]
}

function settle(state: LayersState): readonly [LayersState, ...LayersEffect[]] {
  if (state.moving) return [state]
  const missing = state.ids.length - state.entries
  if (missing < 0) return [{ ...state, moving: true }, { kind: 'go_back', by: -missing }]
  const added = Array.from({ length: missing }, (_, index) => ({ kind: 'add_entry', entries: state.entries + index + 1 }) as const)
  return [{ ...state, entries: state.ids.length }, ...added]
}
