/** One draft, from its first keystroke: at most one write is on its way, and the last words always win. Pure. */

export type DraftState = { text: string; writing: string | null; stored: string; failed: boolean }
export type DraftInput = { kind: 'typed'; text: string } | { kind: 'loaded'; text: string } | { kind: 'stored' } | { kind: 'store_failed' }
export type DraftEffect = { kind: 'store'; text: string }

export const initialDraft: DraftState = { text: '', writing: null, stored: '', failed: false }

export function stepDraft(state: DraftState, input: DraftInput): readonly [DraftState, ...DraftEffect[]] {
  switch (input.kind) {
    case 'typed': {
      if (input.text === state.text) return [state]
      const next = { ...state, text: input.text }
      return state.writing === null ? write(next) : [next]
    }
    case 'loaded': // What the person typed while the disk was slow is newer than the disk.
      return state.text === '' && state.writing === null ? [{ ...state, text: input.text, stored: input.text }] : [state]
    case 'stored': {
      if (state.writing === null) return [state]
      const next = { ...state, stored: state.writing, writing: null, failed: false }
      return next.text === next.stored ? [next] : write(next)
    }
    case 'store_failed': return [{ ...state, writing: null, failed: true }] // The next keystroke tries again.
  }
}

const write = (state: DraftState): readonly [DraftState, DraftEffect] => [{ ...state, writing: state.text }, { kind: 'store', text: state.text }]
