/** Every keyboard shortcut, from the table that the keys themselves are read from. */
import './shortcuts.css'
import { For } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { keyWords, SHORTCUTS } from '#web/platform/shortcuts.ts'
import { preference } from '#web/state/preferences.ts'
import { isAvailable, isMac } from '#web/state/shortcuts.ts'
import { Kbd } from '#web/ui/parts.tsx'
import { Sheet } from '#web/ui/sheet.tsx'

/** Keys that belong to one place and are no shortcuts of the page. */
const places = (enterSends: boolean): readonly { group: string; rows: readonly { say: string; keys: readonly string[] }[] }[] => [
  { group: 'In the composer', rows: [...(enterSends ? [{ say: 'Send', keys: ['Enter'] }, { say: 'New line', keys: ['Shift', 'Enter'] }] : [{ say: 'New line', keys: ['Enter'] }]), { say: enterSends ? 'Send, always' : 'Send', keys: [isMac ? '⌘' : 'Ctrl', 'Enter'] }] },
  { group: 'In the list', rows: [{ say: 'Move', keys: ['↑', '↓'] }, { say: 'Open', keys: ['Enter'] }, { say: 'Rename', keys: ['F2'] }, { say: 'Delete', keys: ['Del'] }] },
]
const GROUPS = ['Anywhere', 'In a conversation'] as const

/** `heading`: one below the heading of the place that shows the table. `now`: only what does something where the person is. */
export function ShortcutTable(props: { heading: 'h2' | 'h3'; now?: boolean }) {
  const shown = props.now ? SHORTCUTS.filter(isAvailable) : SHORTCUTS
  const groups = [...GROUPS.map((group) => ({ group, rows: shown.filter((one) => one.group === group).map((one) => ({ say: one.say, keys: keyWords(one.name, isMac) })) })), ...places(preference('enter') === 'send')].filter((one) => one.rows.length > 0)
  return (
    <div class="shortcuts">
      <For each={groups}>{(one) => (
        <section><Dynamic component={props.heading}>{one.group}</Dynamic><dl><For each={one.rows}>{(row) => <div><dt>{row.say}</dt><dd><Kbd keys={row.keys} /></dd></div>}</For></dl></section>
      )}</For>
    </div>
  )
}

export const ShortcutSheet = (props: { open: boolean; onClose(): void }) => <Sheet wide open={props.open} title="Keyboard shortcuts" onClose={props.onClose}><ShortcutTable heading="h3" now /></Sheet>
