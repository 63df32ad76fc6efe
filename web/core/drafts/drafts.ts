/** One draft, from its first keystroke: at most one write is on its way, and the last words always win, also when the conversation gets its name meanwhile. Pure. */

/** `key`: where the draft lies; `oldKey`: where it lay before its conversation got a stored id, until it was moved. `stored`: what lies at `key`. */
export type DraftState = { key: string; oldKey: string | null; text: string; writing: string | null; stored: string; failed: boolean }
export type DraftInput =
  | { kind: 'typed'; text: string } | { kind: 'loaded'; text: string } | { kind: 'stored' } | { kind: 'store_failed' }
  /** The conversation has a stored id; `text` is what lies there already. */
  | { kind: 'named'; key: string; text: string }
/** `over`: what this tab knows to lie there. An empty text takes nothing else away, so that the words of another tab stay. */
export type DraftEffect = { kind: 'store'; key: string; text: string; over: string } | { kind: 'forget'; key: string; over: string }

export const initialDraft = (key: string): DraftState => ({ key, oldKey: null, text: '', writing: null, stored: '', failed: false })
type Step = readonly [DraftState, ...DraftEffect[]]

export function stepDraft(state: DraftState, input: DraftInput): Step {
  switch (input.kind) {
    case 'typed': {
      if (input.text === state.text) return [state]
      const next = { ...state, text: input.text }
      return state.writing === null ? write(next) : [next]
    }
    case 'loaded': // What the person typed while the disk was slow is newer than the disk.
      return state.text === '' && state.writing === null ? [{ ...state, text: input.text, stored: input.text }] : [state]
    case 'named': {
      if (input.key === state.key) return [state]
      if (state.writing !== null) return [{ ...state, key: input.key, oldKey: state.key }] // Moved when this write is over.
      if (state.text === '') return [{ ...state, key: input.key, text: input.text, stored: input.text }]
      return write({ ...state, key: input.key, oldKey: state.key })
    }
    case 'stored': {
      if (state.writing === null) return [state]
      const next = { ...state, stored: state.writing, writing: null, failed: false }
      return next.text === next.stored && next.oldKey === null ? [next] : write(next)
    }
    case 'store_failed': return [{ ...state, writing: null, failed: true }] // The next keystroke tries again.
  }
}

/** The new place is written before the old one is emptied. */
function write(state: DraftState): Step {
  const next = { ...state, writing: state.text, oldKey: null }
  const store: DraftEffect = { kind: 'store', key: state.key, text: state.text, over: state.stored }
  return state.oldKey === null ? [next, store] : [next, store, { kind: 'forget', key: state.oldKey, over: state.stored }]
}
