/** Sections that are choices and nothing else; each is kept in this browser at once. */
import { preference, type Preferences, setPreference } from '#web/state/preferences.ts'
import { Segmented, Switch } from '#web/ui/choices.tsx'
import { ListRow } from '#web/ui/parts.tsx'

type OneOf = 'theme' | 'textScale' | 'enter' | 'toolDisplay' | 'shortcuts'

function Choice<Name extends OneOf>(props: { name: Name; title: string; hint: string; choices: readonly { value: Preferences[Name]; label: string }[] }) {
  return <ListRow title={props.title} hint={props.hint}><Segmented label={props.title} value={preference(props.name)} choices={props.choices} onChange={(value) => setPreference(props.name, value)} /></ListRow>
}
const Toggle = (props: { name: 'reduceMotion' | 'showThinking'; title: string; hint: string }) => (
  <ListRow title={props.title} hint={props.hint}><Switch label={props.title} on={preference(props.name)} onChange={(on) => setPreference(props.name, on)} /></ListRow>
)

export const Appearance = () => (
  <section class="card" aria-label="Appearance">
    <Choice name="theme" title="Colours" hint="System follows the device." choices={[{ value: 'system', label: 'System' }, { value: 'dark', label: 'Dark' }, { value: 'light', label: 'Light' }]} />
    <Choice name="textScale" title="Size" hint="On top of what the browser is set to." choices={[{ value: 0.85, label: 'Small' }, { value: 1, label: 'Normal' }, { value: 1.15, label: 'Large' }, { value: 1.3, label: 'Larger' }]} />
    <Toggle name="reduceMotion" title="Less movement" hint="Also when the device does not ask for it." />
  </section>
)

export const ChatSettings = () => (
  <section class="card" aria-label="Chat">
    <Choice name="enter" title="Enter" hint="Ctrl or Cmd with Enter always sends." choices={[{ value: 'send', label: 'Sends' }, { value: 'newline', label: 'New line' }]} />
    <Toggle name="showThinking" title="Thoughts of the model" hint="A line that can be opened, where the model shows them." />
    <Choice name="toolDisplay" title="Steps" hint="How much is shown of each tool that the agent uses." choices={[{ value: 'detailed', label: 'Detailed' }, { value: 'compact', label: 'Compact' }]} />
  </section>
)

export const ShortcutScope = () => (
  <section class="card" aria-label="Which shortcuts act">
    <Choice name="shortcuts" title="Shortcuts" hint="Single keys act only while no field has the focus. No shortcut ever allows a command." choices={[{ value: 'all', label: 'All' }, { value: 'combined', label: 'No single keys' }, { value: 'none', label: 'None' }]} />
  </section>
)
