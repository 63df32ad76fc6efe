/**
 * Runs a pure core inside Solid: inputs go in, effects go out at once, the state is published at most once per frame.
 * States are immutable and share what did not change, so a reader compares by reference. Solid's `reconcile` is not used: it
 * writes into objects it was given before, and a core still shares those (an answer block moved by one index would be overwritten).
 */
import { createSignal, onCleanup } from 'solid-js'

/** Pause between two publications while nobody can see the page, in ms: frames do not come then. */
const HIDDEN_PUBLISH_MS = 100

export type Give<Input> = (input: Input) => void

export function createCoreStore<State, Input, Effect>(
  step: (state: State, input: Input) => readonly [State, ...Effect[]], initial: State, carry: (effect: Effect, give: Give<Input>) => void,
): { state: () => State; now: () => State; give: Give<Input> } {
  let current = initial
  let frame = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const [state, setState] = createSignal<State>(initial, { equals: (a, b) => a === b })
  const publish = (): void => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = 0
    timer = undefined
    setState(() => current)
  }
  const schedule = (): void => {
    if (frame !== 0 || timer !== undefined) return
    if (document.visibilityState === 'visible') frame = requestAnimationFrame(publish)
    timer = setTimeout(publish, HIDDEN_PUBLISH_MS)
  }
  const give = (input: Input): void => {
    const [next, ...effects] = step(current, input)
    if (next !== current) {
      current = next
      schedule()
    }
    for (const effect of effects) carry(effect, give)
  }
  onCleanup(() => { cancelAnimationFrame(frame); clearTimeout(timer) })
  return { state, now: () => current, give }
}
