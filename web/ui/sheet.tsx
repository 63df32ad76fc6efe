/** A dialog: in the middle on wide screens, from below on phones. Escape, Back, its button and a press beside it close it; focus returns. */
import './sheet.css'
import { createUniqueId, type JSX, onCleanup, onMount, Show } from 'solid-js'
import { useLayer } from '#web/state/layers.ts'
import { IconButton } from './button.tsx'

type Props = { open: boolean; title: string; onClose(): void; children: JSX.Element; foot?: JSX.Element; wide?: boolean }

export function Sheet(props: Props) {
  useLayer(() => props.open, () => props.onClose())
  return <Show when={props.open}><Dialog {...props} /></Show>
}

function Dialog(props: Props) {
  let dialog!: HTMLDialogElement
  let heading!: HTMLHeadingElement
  const id = createUniqueId()
  const before = document.activeElement
  onMount(() => {
    dialog.showModal()
    ;(dialog.querySelector<HTMLElement>('[data-first]') ?? heading).focus()
  })
  onCleanup(() => { dialog.close(); if (before instanceof HTMLElement && before.isConnected) before.focus() })
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: a press beside the sheet closes it; the keyboard has Escape and the button.
    <dialog ref={dialog} class="sheet" classList={{ wide: props.wide === true }} aria-labelledby={id} onCancel={(event) => { event.preventDefault(); props.onClose() }} onClick={(event) => { if (event.target === dialog) props.onClose() }}>
      <div class="sheet-in">
        <header><h2 ref={heading} id={id} tabindex="-1">{props.title}</h2><IconButton icon="x" label="Close" onClick={() => props.onClose()} /></header>
        <div class="sheet-body">{props.children}</div>
        <Show when={props.foot}><footer>{props.foot}</footer></Show>
      </div>
    </dialog>
  )
}
