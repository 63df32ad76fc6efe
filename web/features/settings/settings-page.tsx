/** Settings of this browser: sections beside their content on wide screens, one after the other on phones. */
import '#web/ui/page.css'
import './settings.css'
import { createMemo, For, type JSX, Match, Show, Switch } from 'solid-js'
import { ShortcutTable } from '#web/features/shortcuts/index.ts'
import { createMedia } from '#web/platform/presence.ts'
import { SETTINGS_SECTIONS, type SettingsSection } from '#web/state/route.ts'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { useServices } from '#web/state/services.ts'
import { IconButton } from '#web/ui/button.tsx'
import { Icon } from '#web/ui/icon.tsx'
import type { IconName } from '#web/ui/icon-paths.ts'
import { PageHeading } from '#web/ui/page-heading.tsx'
import { About } from './about.tsx'
import { Appearance, ChatSettings, ShortcutScope } from './choice-sections.tsx'
import { Notifications } from './notifications.tsx'
import { ThisBrowser } from './this-browser.tsx'

const SECTIONS: Readonly<Record<SettingsSection, { name: string; icon: IconName; sub: string }>> = {
  appearance: { name: 'Appearance', icon: 'palette', sub: 'How this page looks in this browser.' },
  chat: { name: 'Chat', icon: 'message-circle', sub: 'Writing, and what is shown of the work of the agent.' },
  notifications: { name: 'Notifications', icon: 'bell', sub: 'How this browser calls you when the agent waits for you.' },
  browser: { name: 'This browser', icon: 'monitor', sub: 'Which machine it reaches, until when, and what it keeps.' },
  shortcuts: { name: 'Keyboard', icon: 'keyboard', sub: 'Every key that does something here.' },
  about: { name: 'About', icon: 'info', sub: 'What runs on the other side.' },
}

export default function SettingsPage(props: { section: SettingsSection | null; onMenu(): void }) {
  const narrow = createMedia('(max-width: 839px)')
  const section = createMemo(() => props.section ?? (narrow() ? null : 'appearance'))
  return (
    <div class="settings">
      <Show when={!narrow() || section() === null}><SectionList open={section()} {...(narrow() ? { onMenu: props.onMenu } : {})} /></Show>
      <Show when={section()} keyed>{(name) => <Detail name={name} isNarrow={narrow()} />}</Show>
    </div>
  )
}

function SectionList(props: { open: SettingsSection | null; onMenu?: () => void }) {
  const facts = useRelayFacts()
  return (
    <nav class="sections" aria-label="Settings">
      <div class="top"><Show when={props.onMenu}>{(menu) => <IconButton icon="menu" class="menu" label="Menu" onClick={() => menu()()} />}</Show><Show when={props.onMenu} fallback={<h2>Settings · {facts.host() ?? 'Relay'}</h2>}><PageHeading words="Settings" /></Show></div>
      <For each={SETTINGS_SECTIONS}>{(name) => (
        <a href={`#/settings/${name}`} aria-current={props.open === name ? 'page' : undefined}><Icon name={SECTIONS[name].icon} />{SECTIONS[name].name}<Icon name="chevron-right" /></a>
      )}</For>
    </nav>
  )
}

function Detail(props: { name: SettingsSection; isNarrow: boolean }) {
  const { route } = useServices()
  return (
    <div class="page-scroll"><div class="body">
      <div class="top"><Show when={props.isNarrow}><IconButton icon="arrow-left" label="All settings" onClick={() => route.openSettings()} /></Show><PageHeading words={SECTIONS[props.name].name} window={`${SECTIONS[props.name].name} · Settings`} /></div>
      <p class="sub">{SECTIONS[props.name].sub}</p>
      <Content name={props.name} />
    </div></div>
  )
}

function Content(props: { name: SettingsSection }): JSX.Element {
  return (
    <Switch>
      <Match when={props.name === 'appearance'}><Appearance /></Match>
      <Match when={props.name === 'chat'}><ChatSettings /></Match>
      <Match when={props.name === 'notifications'}><Notifications /></Match>
      <Match when={props.name === 'browser'}><ThisBrowser /></Match>
      <Match when={props.name === 'shortcuts'}><ShortcutScope /><section class="card padded" aria-label="Shortcuts"><ShortcutTable heading="h2" /></section></Match>
      <Match when={props.name === 'about'}><About /></Match>
    </Switch>
  )
}
