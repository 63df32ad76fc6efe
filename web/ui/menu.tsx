/** A button that opens a list of things to do. Arrows, Home, End and first letters move; Escape, Back, Tab and a press beside it close; focus returns. */
import './menu.css'
import { createSignal, createUniqueId, For, type JSX, onCleanup, onMount, Show } from 'solid-js'
import { useLayer } from '#web/state/layers.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'
import { type MenuFocus, stepMenu } from './menu-keys.ts'
import { putBeside } from './place.ts'
import { labelled } from './tooltip.ts'

export type MenuItem = { label: string; icon?: IconName; keys?: string; danger?: boolean; disabled?: boolean; checked?: boolean; run(): void }
type Props = { label: string; items: readonly MenuItem[]; icon?: IconName; class?: string; children?: JSX.Element; align?: 'start' | 'end'; onOpen?: (isOpen: boolean) => void; ref?: (open: () => void) => void; tabindex?: number }

export function Menu(props: Props) {
  let trigger!: HTMLButtonElement
  const id = createUniqueId()
  const [isOpen, setIsOpen] = createSignal(false)
  const turn = (open: boolean): void => { if (open !== isOpen()) { setIsOpen(open); props.onOpen?.(open) } }
  const close = (giveFocus = true): void => { turn(false); if (giveFocus) trigger.focus() }
  useLayer(isOpen, close)
  const label = labelled(() => props.label)
  props.ref?.(() => turn(true))
  return (
    <>
      <button
        type="button" ref={(el) => { trigger = el; if (props.children === undefined) label(el); else el.setAttribute('aria-label', props.label) }} class={props.class ?? 'icon'} tabindex={props.tabindex}
        aria-haspopup="menu" aria-expanded={isOpen() ? 'true' : 'false'} aria-controls={isOpen() ? id : undefined}
        onClick={() => turn(!isOpen())} onKeyDown={(event) => { if (event.key === 'ArrowDown' && !event.altKey) { event.preventDefault(); turn(true) } }}
      >
        {props.children ?? <Icon name={props.icon ?? 'ellipsis'} />}
      </button>
      <Show when={isOpen()}><MenuList id={id} label={props.label} items={props.items} align={props.align ?? 'end'} trigger={trigger} close={close} /></Show>
    </>
  )
}

function MenuList(props: { id: string; label: string; items: readonly MenuItem[]; align: 'start' | 'end'; trigger: HTMLElement; close(giveFocus?: boolean): void }) {
  let list!: HTMLDivElement
  const [focus, setFocus] = createSignal<MenuFocus>({ index: props.items.findIndex((item) => !item.disabled), typed: '', typedAtMs: Number.NEGATIVE_INFINITY })
  const show = (index: number): void => (list.children[index] as HTMLElement | undefined)?.focus()
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') return props.close(false)
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const next = stepMenu(focus(), event.key, props.items, event.timeStamp)
    if (!next) return
    event.preventDefault()
    event.stopPropagation()
    setFocus(next)
    show(next.index)
  }
  const run = (item: MenuItem): void => { if (item.disabled) return; props.close(); item.run() }
  const beside = (event: Event): void => { const target = event.target as Node; if (!list.contains(target) && !props.trigger.contains(target)) props.close(false) }
  // Its button moved away from it. What scrolls elsewhere, as an answer that grows does, is no reason to close.
  const away = (event: Event): void => { if ((event.target as Node).contains(props.trigger)) props.close(false) }
  onMount(() => {
    list.showPopover?.()
    list.dataset['side'] = putBeside(props.trigger, list, { side: 'below', align: props.align, gap: 4 })
    show(focus().index)
    document.addEventListener('pointerdown', beside, true)
    document.addEventListener('scroll', away, true)
  })
  onCleanup(() => { document.removeEventListener('pointerdown', beside, true); document.removeEventListener('scroll', away, true) })
  return (
    <div ref={list} id={props.id} popover="manual" class="popmenu" role="menu" aria-label={props.label} tabindex="-1" onKeyDown={onKeyDown}>
      <For each={props.items}>{(item, index) => (
        // biome-ignore lint/a11y/useAriaPropsSupportedByRole: it is set for the radio role only.
        <button type="button" role={item.checked === undefined ? 'menuitem' : 'menuitemradio'} aria-checked={item.checked} aria-disabled={item.disabled ? 'true' : undefined} tabindex={index() === focus().index ? 0 : -1} classList={{ danger: item.danger === true }} onClick={() => run(item)} onPointerMove={() => { if (!item.disabled && focus().index !== index()) { setFocus({ index: index(), typed: '', typedAtMs: 0 }); show(index()) } }}>
          <Show when={item.checked === undefined} fallback={<span class="mark"><Show when={item.checked}><Icon name="check" /></Show></span>}><Show when={item.icon}>{(icon) => <Icon name={icon()} />}</Show></Show>
          <span>{item.label}</span><Show when={item.keys}>{(keys) => <kbd>{keys()}</kbd>}</Show>
        </button>
      )}</For>
    </div>
  )
}
