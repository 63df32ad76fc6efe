/** Every primitive in every state, to look at. Marked `dev-ui-page-of-primitives`, which a test looks for in the product. */
import '#web/ui/page.css'
import './dev-ui.css'
import { createSignal, type JSX } from 'solid-js'
import { setPreference } from '#web/state/preferences.ts'
import { useServices } from '#web/state/services.ts'
import { Button, IconButton } from '#web/ui/button.tsx'
import { Chip, Segmented, Switch } from '#web/ui/choices.tsx'
import { Menu } from '#web/ui/menu.tsx'
import { Badge, CodeFrame, Field, Kbd, ListRow } from '#web/ui/parts.tsx'
import { Sheet } from '#web/ui/sheet.tsx'

const Part = (props: { name: string; children: JSX.Element }) => <section class="card" aria-label={props.name}><div class="head"><h2>{props.name}</h2></div><div class="li dev-part">{props.children}</div></section>

export default function DevUiPage() {
  const { toast } = useServices()
  const [on, setOn] = createSignal(true)
  const [choice, setChoice] = createSignal('one')
  const [sheet, setSheet] = createSignal(false)
  return (
    <div class="page-scroll dev-ui-page-of-primitives"><div class="body">
      <h1 tabindex="-1">Primitives</h1><p class="sub">Every state, for those who work on them.</p>
      <Part name="Button">
        <Button kind="primary">Primary</Button><Button>Plain</Button><Button kind="danger" icon="trash-2">Danger</Button><Button kind="ghost">Ghost</Button>
        <Button small>Small</Button><Button kind="primary" busy>Saving</Button><Button disabled>Disabled</Button><IconButton icon="search" label="Find" shortcut="find" />
      </Part>
      <Part name="Choices"><Switch label="Switch" on={on()} onChange={setOn} /><Switch label="Switch that cannot be used" on={false} disabled onChange={setOn} />
        <Segmented label="Choice" value={choice()} choices={[{ value: 'one', label: 'One' }, { value: 'two', label: 'Two' }, { value: 'three', label: 'Three' }]} onChange={setChoice} />
        <Chip on={on()} onClick={() => setOn(!on())}>Chip</Chip><Chip on={!on()} onClick={() => setOn(!on())}>Other chip</Chip>
      </Part>
      <Part name="Menu, sheet, toast">
        <Menu label="More" items={[{ label: 'Rename', icon: 'pencil', keys: 'F2', run: () => toast.show('Renamed') }, { label: 'Not now', icon: 'archive', disabled: true, run: () => undefined }, { label: 'Delete', icon: 'trash-2', danger: true, run: () => setSheet(true) }]} />
        <Button onClick={() => setSheet(true)}>Open a sheet</Button>
        <Button onClick={() => toast.show('Something happened', { label: 'Undo', run: () => undefined })}>Show a toast</Button>
        <Button onClick={() => setPreference('theme', 'light')}>Light</Button><Button onClick={() => setPreference('theme', 'dark')}>Dark</Button>
        <Sheet open={sheet()} title="A sheet" onClose={() => setSheet(false)} foot={<><Button onClick={() => setSheet(false)}>Cancel</Button><Button kind="danger" onClick={() => setSheet(false)}>Delete</Button></>}><p>The consequence first, the verb on the button.</p></Sheet>
      </Part>
      <Part name="Fields"><Field label="Name" hint="As it appears in the list.">{(attributes) => <input {...attributes} value="nas-01" />}</Field><Field label="Port" error="A port is a number.">{(attributes) => <input {...attributes} value="many" />}</Field></Part>
      <Part name="Badges and keys"><Badge>auto</Badge><Badge tone="ok">ready</Badge><Badge tone="warn">needs key</Badge><Kbd keys={['Ctrl', 'Shift', 'O']} /><span class="spin" /><span class="avatar">A</span></Part>
      <section class="card" aria-label="Rows"><ListRow title="Ollama" hint="127.0.0.1:11434 · 6 models"><Switch label="Ollama" on={on()} onChange={setOn} /></ListRow><ListRow title="Speech" hint="No key for this provider yet"><Badge tone="warn">needs key</Badge></ListRow></section>
      <Part name="Code"><CodeFrame name="shell" code={'find /tank/media/.recycle -type f -mtime +30 -delete'} onCopy={() => toast.show('Copied')} /></Part>
    </div></div>
  )
}
