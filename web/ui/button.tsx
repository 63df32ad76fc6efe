/** Buttons with words, and buttons with an icon that say theirs in a tooltip. A busy one keeps its place and refuses a second press. */
import { type JSX, Show, splitProps } from 'solid-js'
import type { ShortcutName } from '#web/platform/shortcuts.ts'
import { Icon } from './icon.tsx'
import type { IconName } from './icon-paths.ts'
import { labelled } from './tooltip.ts'

type ButtonProps = JSX.ButtonHTMLAttributes<HTMLButtonElement> & { kind?: 'primary' | 'danger' | 'ghost'; small?: boolean; busy?: boolean; icon?: IconName; onClick?: () => void }
const KINDS = { primary: 'p', danger: 'd', ghost: 'g' } as const

export function Button(props: ButtonProps) {
  const [own, rest] = splitProps(props, ['kind', 'small', 'busy', 'icon', 'onClick', 'children', 'class'])
  return (
    <button type="button" {...rest} class={`btn ${own.kind ? KINDS[own.kind] : ''} ${own.small ? 's' : ''} ${own.class ?? ''}`} aria-busy={own.busy ? 'true' : undefined} aria-disabled={own.busy ? 'true' : undefined} onClick={() => { if (!own.busy) own.onClick?.() }}>
      <Show when={own.busy} fallback={<Show when={own.icon}>{(icon) => <Icon name={icon()} />}</Show>}><span class="spin" /></Show>{own.children}
    </button>
  )
}

type IconButtonProps = Omit<JSX.ButtonHTMLAttributes<HTMLButtonElement>, 'aria-label' | 'title' | 'ref' | 'onClick'> & { icon: IconName; label: string; shortcut?: ShortcutName; onClick?: (event: MouseEvent) => void; ref?: (el: HTMLButtonElement) => void }

export function IconButton(props: IconButtonProps) {
  const [own, rest] = splitProps(props, ['icon', 'label', 'shortcut', 'ref', 'class', 'onClick', 'children'])
  const label = labelled(() => own.label, props.shortcut)
  return <button type="button" {...rest} ref={(el) => { label(el); own.ref?.(el) }} class={`icon ${own.class ?? ''}`} onClick={(event) => own.onClick?.(event)}><Icon name={own.icon} />{own.children}</button>
}
