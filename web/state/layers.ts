/** Layers over the page wired to the browser: its history, its Back, its Escape. One stack, because a window has one history. */
import { createEffect, onCleanup } from 'solid-js'
import { initialLayers, isSettled, type LayersInput, type LayersState, stepLayers } from '#web/core/layers/layers.ts'

type Browser = Pick<Window, 'addEventListener' | 'removeEventListener'> & { history: Pick<History, 'state' | 'pushState' | 'replaceState' | 'go'>; location: { readonly hash: string } }
export type Layers = ReturnType<typeof createLayers>

/** A move that never arrives (a browser may swallow it) is given up after this long, in ms. */
const MOVE_MAX_MS = 1_000

export function createLayers(browser: Browser) {
  const depth = (): number => { const value = (browser.history.state as { layers?: unknown } | null)?.layers; return typeof value === 'number' ? value : 0 }
  let state: LayersState = initialLayers(depth())
  let idNext = 1
  let scheduled = false
  let renamedTo: string | null = null
  let patience: ReturnType<typeof setTimeout> | undefined
  const closers = new Map<number, () => void>()
  let leaving: (() => void)[] = []

  function step(input: LayersInput): void {
    const [next, ...effects] = stepLayers(state, input)
    state = next
    for (const effect of effects) {
      if (effect.kind === 'add_entry') browser.history.pushState({ layers: effect.entries }, '')
      else if (effect.kind === 'go_back') {
        patience = setTimeout(() => step({ kind: 'arrived', entries: depth() }), MOVE_MAX_MS)
        browser.history.go(-effect.by)
      } else {
        const close = closers.get(effect.id)
        closers.delete(effect.id)
        close?.()
      }
    }
    if (input.kind !== 'settle_due') schedule()
    else if (isSettled(state)) { const due = leaving; leaving = []; for (const run of due) run() }
  }
  /** After the running handler: what closes and what opens in one go needs no move at all. */
  function schedule(): void {
    if (scheduled) return
    scheduled = true
    queueMicrotask(() => { scheduled = false; step({ kind: 'settle_due' }) })
  }
  const onPop = (): void => {
    clearTimeout(patience)
    // The conversation got its name while a layer lay over it: the entry below still has the old one.
    if (renamedTo !== null && depth() < state.entries && browser.location.hash !== renamedTo) browser.history.replaceState(browser.history.state, '', renamedTo)
    if (depth() === 0) renamedTo = null
    step({ kind: 'arrived', entries: depth() })
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented || event.isComposing || state.ids.length === 0) return
    event.preventDefault() // Or a dialog below the top layer would close too.
    step({ kind: 'escape_pressed' })
  }
  browser.addEventListener('popstate', onPop)
  browser.addEventListener('keydown', onKeyDown)
  if (state.entries > 0) schedule()

  return {
    /** A layer opened; `close` is called when Back or Escape closes it. Returns how it says that it closed by itself. */
    push(close: () => void): () => void {
      const id = idNext++
      closers.set(id, close)
      step({ kind: 'opened', id })
      return () => { if (closers.delete(id)) step({ kind: 'closed', id }) }
    },
    count: () => state.ids.length,
    /** For the route: closes all layers, and goes on once their entries are gone, so that none stays behind the new page. */
    leave(run: () => void): void {
      if (state.ids.length === 0 && isSettled(state)) return run()
      leaving.push(run)
      while (state.ids.length > 0) step({ kind: 'escape_pressed' })
    },
    /** The open place is called otherwise now, though nobody went anywhere. */
    rename(hash: string): void { browser.history.replaceState(browser.history.state, '', hash); if (state.entries > 0) renamedTo = hash },
    stop(): void { browser.removeEventListener('popstate', onPop); browser.removeEventListener('keydown', onKeyDown) },
  }
}

let ofThisWindow: Layers | undefined
/** Made when it is first asked for, by the page's start: before any layer. */
export const layers = (): Layers => (ofThisWindow ??= createLayers(window))

/** A layer as long as `isOpen` says so. Back and Escape call `close`. */
export function useLayer(isOpen: () => boolean, close: () => void): void {
  createEffect(() => { if (isOpen()) onCleanup(layers().push(close)) })
}
