/** Conversations by day, with marks for those that run, ask or are new; search looks at the list at once and into the messages after it. */
import './sessions.css'
import { createMemo, createSignal, lazy, Match, onCleanup, onMount, Show, Suspense, Switch } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { createMedia } from '#web/platform/presence.ts'
import { useServices } from '#web/state/services.ts'
import { sessionDeeds } from '#web/state/session-deeds.ts'
import { shortcutWords } from '#web/state/shortcuts.ts'
import { IconButton } from '#web/ui/button.tsx'
import { Chip } from '#web/ui/choices.tsx'
import { FixedList } from '#web/ui/fixed-list.tsx'
import { Icon } from '#web/ui/icon.tsx'
import { Late } from '#web/ui/late.tsx'
import { ConnectionFoot } from './connection-foot.tsx'
import { DraftRow, HitRow, WaitingRow } from './other-rows.tsx'
import { createListStore, type ListStore } from './list-store.ts'
import { SessionRowView } from './session-row-view.tsx'

const DeleteSheet = lazy(async () => ({ default: (await import('./session-sheets.tsx')).DeleteSheet }))

/** Heights in px; sessions.css draws the same. */
const ROW_PX = 56
const TOUCH_ROW_PX = 66
const HEADING_PX = 36

export type SessionListProps = { onPick(): void; withPages?: boolean; searchRef?: (field: HTMLInputElement) => void }

export function SessionList(props: SessionListProps) {
  const services = useServices()
  const { route } = services
  const deeds = sessionDeeds(services)
  const store = createListStore()
  const [deleting, setDeleting] = createSignal<Session | null>(null)
  const wasAsked = createMemo<boolean>((before) => before || deleting() !== null, false)
  const remove = (session: Session): void => {
    if (deeds.isBusy(session)) setDeleting(session)
    else store.leave(session.sessionId, () => void deeds.remove(session))
  }
  const confirmed = (): void => { const session = deleting(); setDeleting(null); if (session) store.leave(session.sessionId, () => void deeds.remove(session)) }
  return (
    <div class="drawer">
      <header>
        <h2>Conversations</h2>
        <IconButton icon="square-pen" label="New chat" shortcut="newChat" onClick={() => { route.openDraft(); props.onPick() }} />
      </header>
      <SearchField store={store} onPick={props.onPick} {...(props.searchRef ? { searchRef: props.searchRef } : {})} />
      <div class="chips">
        <Chip on={store.scope() === 'all'} onClick={() => store.setScope('all')}>All</Chip>
        <Chip on={store.scope() === 'archived'} onClick={() => store.setScope('archived')}>Archived</Chip>
      </div>
      <Rows store={store} onPick={props.onPick} onRemove={remove} />
      <Show when={props.withPages}>
        <div class="pages">
          <button type="button" onClick={() => { route.openDevices(); props.onPick() }}><Icon name="smartphone" />Devices</button>
          <button type="button" onClick={() => { route.openSettings(); props.onPick() }}><Icon name="settings" />Settings</button>
        </div>
      </Show>
      <ConnectionFoot />
      <Show when={wasAsked()}><Late><Suspense><DeleteSheet open={deleting() !== null} onClose={() => setDeleting(null)} onDelete={confirmed} /></Suspense></Late></Show>
    </div>
  )
}

function SearchField(props: { store: ListStore; onPick(): void; searchRef?: (field: HTMLInputElement) => void }) {
  const { route } = useServices()
  const { store } = props
  const openFirst = (): void => { const first = store.items()[0]; if (first && first.kind !== 'draft') { route.openChat(first.key); props.onPick() } }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (event.key === 'ArrowDown') { event.preventDefault(); store.move('first') }
    else if (event.key === 'Enter' && store.query().trim() !== '') { event.preventDefault(); openFirst() }
    else if (event.key === 'Escape' && store.query() !== '') { event.preventDefault(); store.setQuery('') }
  }
  return (
    <search class="search">
      <Icon name="search" />
      <input aria-label="Search conversations" ref={(el) => props.searchRef?.(el)} type="search" placeholder="Search everything" value={store.query()} onInput={(event) => store.setQuery(event.currentTarget.value)} onKeyDown={onKeyDown} autocomplete="off" spellcheck={false} enterkeyhint="search" maxlength="512" />
      <Show when={store.search().state === 'asking'} fallback={<kbd>{shortcutWords('searchChats')}</kbd>}><span class="spin" /></Show>
    </search>
  )
}

function Rows(props: { store: ListStore; onPick(): void; onRemove(session: Session): void }) {
  const { sessions } = useServices()
  const { store } = props
  const touch = createMedia('(pointer: coarse)')
  const height = createMemo(() => (touch() ? TOUCH_ROW_PX : ROW_PX))
  /** What waits here can be opened, also where no list was ever read. */
  const isLoading = (): boolean => sessions.rows(store.scope()) === null && (store.scope() === 'archived' || store.waiting().length === 0)
  return (
    <Show when={!isLoading()} fallback={<div class="list"><ListWait failure={sessions.failure(store.scope())} retry={() => void sessions.refresh()} /></div>}>
      <Show when={store.items().length > 0} fallback={<div class="list"><Nothing store={store} /></div>}>
        <FixedList
          label="Conversations" items={store.items()} keyOf={(item) => item.key} heightOf={(item) => height() + (item.heading ? HEADING_PX : 0)} held={store.focused()} ref={store.setList}
          onNearEnd={() => { if (sessions.hasMore(store.scope())) void sessions.more(store.scope()) }} {...(sessions.hasMore(store.scope()) ? { setSize: -1 } : {})} after={<After store={store} />}
        >
          {(item, key) => (
            <>
              <Show when={item().heading}>{(heading) => <h3 class="grp">{heading()}</h3>}</Show>
              <Switch>
                <Match when={item().kind === 'draft'}><DraftRow store={store} onPick={props.onPick} /></Match>
                <Match when={kindOf(item(), 'waiting')}>{(found) => <WaitingRow store={store} chat={found().chat} onPick={props.onPick} />}</Match>
                <Match when={kindOf(item(), 'session')}>{(found) => <SessionRowView store={store} session={found().session} onPick={props.onPick} onRemove={props.onRemove} rowKey={key} />}</Match>
                <Match when={kindOf(item(), 'hit')}>{(found) => <HitRow store={store} hit={found().hit} onPick={props.onPick} />}</Match>
              </Switch>
            </>
          )}
        </FixedList>
      </Show>
    </Show>
  )
}

const kindOf = <Item extends { kind: string }, Kind extends Item['kind']>(item: Item, kind: Kind): Extract<Item, { kind: Kind }> | null => (item.kind === kind ? (item as Extract<Item, { kind: Kind }>) : null)

/** Below the last row: that a search in the messages failed, or that older ones could not be read. */
function After(props: { store: ListStore }) {
  const { sessions } = useServices()
  return (
    <>
      <Show when={props.store.search().state === 'failed'}><p class="none">The messages could not be searched. The list above is complete as far as it is read.</p></Show>
      <Show when={sessions.failure(props.store.scope())}>{(failure) => <p class="none">{failure().say} <button type="button" class="lnk" onClick={() => void sessions.refresh()}>Try again</button></p>}</Show>
    </>
  )
}

const Nothing = (props: { store: ListStore }) => (
  <p class="none" role="status">
    <Switch fallback="No conversations yet. What you start here also appears in Hermes itself.">
      <Match when={props.store.query().trim() !== '' && props.store.search().state === 'asking'}>Searching the messages</Match>
      <Match when={props.store.query().trim() !== ''}>Nothing found.</Match>
      <Match when={props.store.scope() === 'archived'}>Nothing is archived. What you archive leaves the list and stays in Hermes.</Match>
    </Switch>
  </p>
)

/** After this long a wait says that it goes on, in ms. */
const LONG_WAIT_MS = 8_000

function ListWait(props: { failure: { say: string; next: string } | null; retry(): void }) {
  const [long, setLong] = createSignal(false)
  onMount(() => { const timer = setTimeout(() => setLong(true), LONG_WAIT_MS); onCleanup(() => clearTimeout(timer)) })
  return (
    <Show when={props.failure} fallback={<div aria-busy="true"><div class="skel skel-row" /><div class="skel skel-row" /><div class="skel skel-row" /><Show when={long()}><p class="none" role="status">Still loading. <button type="button" class="lnk" onClick={() => props.retry()}>Try again</button></p></Show></div>}>
      {(failure) => <p class="none">{failure().say} {failure().next} <button type="button" class="lnk" onClick={() => props.retry()}>Try again</button></p>}
    </Show>
  )
}
