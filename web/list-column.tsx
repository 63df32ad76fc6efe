/** Where the list of conversations stands: a column whose width a person sets, or a drawer over the page. */
import { createSignal, type JSX, onCleanup, onMount, Show } from 'solid-js'
import { useLayer } from './state/layers.ts'
import { LIST_WIDTH_MAX, LIST_WIDTH_MIN, setPreference } from './state/preferences.ts'

const STEP_PX = 16
/** Where the pointer is, in px of the text size that the width is measured in. */
const pointerAt = (event: PointerEvent & { currentTarget: HTMLElement }): number => event.clientX / (event.currentTarget.currentCSSZoom || 1)
const within = (width: number): number => Math.min(LIST_WIDTH_MAX, Math.max(LIST_WIDTH_MIN, Math.round(width)))

/** `onWidth` shows it while it is dragged; it is kept when the drag ends. */
export function ListColumn(props: { children: JSX.Element; width: number; onWidth(width: number): void }) {
  const [dragging, setDragging] = createSignal(false)
  const keep = (width: number): void => { props.onWidth(within(width)); setPreference('listWidth', within(width)) }
  let from = 0
  const onKeyDown = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: props.width - STEP_PX, ArrowRight: props.width + STEP_PX, Home: LIST_WIDTH_MIN, End: LIST_WIDTH_MAX }[event.key]
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    keep(to)
  }
  const end = (): void => { if (dragging()) { setDragging(false); keep(props.width) } }
  return (
    <aside aria-label="Conversations">
      {props.children}
      {/* biome-ignore lint/a11y/useSemanticElements: a rule cannot be dragged; this one is a separator that a person moves. */}
      <div
        class="divider" classList={{ dragging: dragging() }} role="separator" aria-orientation="vertical" aria-label="Width of the list" aria-valuenow={props.width} aria-valuemin={LIST_WIDTH_MIN} aria-valuemax={LIST_WIDTH_MAX} tabindex="0"
        onKeyDown={onKeyDown} onDblClick={() => keep(288)}
        onPointerDown={(event) => { event.currentTarget.setPointerCapture(event.pointerId); from = pointerAt(event) - props.width; setDragging(true) }}
        onPointerMove={(event) => { if (dragging()) props.onWidth(within(pointerAt(event) - from)) }} onPointerUp={end} onPointerCancel={end}
      />
    </aside>
  )
}

/** A modal drawer from the left; Back, Escape and a press beside it close it. */
export function ListDrawer(props: { open: boolean; onClose(): void; children: JSX.Element }) {
  useLayer(() => props.open, () => props.onClose())
  return <Show when={props.open}><DrawerDialog {...props} /></Show>
}

function DrawerDialog(props: { onClose(): void; children: JSX.Element }) {
  let drawer!: HTMLDialogElement
  const before = document.activeElement
  onMount(() => drawer.showModal())
  onCleanup(() => { drawer.close(); if (before instanceof HTMLElement && before.isConnected) before.focus() })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press beside the drawer closes it; the keyboard has Escape.
    <dialog ref={drawer} class="sheet-drawer" aria-label="Conversations" onCancel={(event) => { event.preventDefault(); props.onClose() }} onClick={(event) => { if (event.target === drawer) props.onClose() }}>{props.children}</dialog>
  )
}
