/** One conversation in the list. Enter opens, F2 renames, Delete deletes; everything is also in its menu. */
import { createMemo, Show } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { useServices } from '#web/state/services.ts'
import { sessionDeeds, TITLE_CHARS_MAX } from '#web/state/session-deeds.ts'
import { Menu, type MenuItem } from '#web/ui/menu.tsx'
import { shortWhen } from '#web/ui/when.ts'
import type { ListStore } from './list-store.ts'

const MARK_WORDS = { running: 'Working', asking: 'Waiting for you', queued: 'A message waits', elsewhere: 'Live in another program' } as const
const MOVES: Readonly<Record<string, 'next' | 'previous' | 'first' | 'last'>> = { ArrowDown: 'next', ArrowUp: 'previous', Home: 'first', End: 'last' }

/** The keys that every row has. True: used. */
export function moveKeys(event: KeyboardEvent, store: ListStore): boolean {
  const to = event.altKey || event.ctrlKey || event.metaKey ? undefined : MOVES[event.key]
  if (!to) return false
  event.preventDefault()
  store.move(to)
  return true
}

export function SessionRowView(props: { store: ListStore; session: Session; rowKey: string; onPick(): void; onRemove(session: Session): void }) {
  const services = useServices()
  const { sessions, route, seen, pins } = services
  const deeds = sessionDeeds(services)
  const id = (): string => props.session.sessionId
  const mark = createMemo(() => sessions.mark(id()))
  const name = (): string => props.session.title || props.session.preview || 'Untitled'
  const isOpen = (): boolean => props.store.openKey() === id()
  const isNew = (): boolean => !isOpen() && mark() === null && seen.isNews(props.session)
  const words = (): string => { const m = mark(); return m ? MARK_WORDS[m] : props.session.title ? props.session.preview : props.session.model }
  const isTabStop = (): boolean => props.store.tabStop() === id()
  let openMenu: (() => void) | undefined
  /** The row moves; the focus goes with it. */
  const togglePin = (): void => { const key = id(); pins.toggle(props.session); queueMicrotask(() => props.store.giveFocus(key)) }
  const items = (): MenuItem[] => [
    { label: 'Rename', icon: 'pencil', keys: 'F2', run: () => props.store.rename(id()) },
    ...(props.session.archived ? [] : [pins.has(id()) ? { label: 'Unpin', icon: 'pin-off' as const, run: togglePin } : { label: 'Pin', icon: 'pin' as const, run: togglePin }]),
    props.session.archived
      ? { label: 'Back to the list', icon: 'archive-restore', run: () => props.store.leave(id(), () => void deeds.archive(props.session, false)) }
      : { label: 'Archive', icon: 'archive', run: () => props.store.leave(id(), () => void deeds.archive(props.session, true)) },
    { label: 'Delete', icon: 'trash-2', keys: 'Del', danger: true, run: () => props.onRemove(props.session) },
  ]
  const onKeyDown = (event: KeyboardEvent): void => {
    if (moveKeys(event, props.store)) return
    if (event.key === 'F2') { event.preventDefault(); props.store.rename(id()) }
    if (event.key === 'Delete') { event.preventDefault(); props.onRemove(props.session) }
  }
  return (
    <div class="row" classList={{ on: isOpen(), new: isNew() }}>
      <Show when={props.store.renaming() !== id()} fallback={<RenameForm name={name()} session={props.session} store={props.store} />}>
        <button
          type="button" class="open" data-key={id()} tabindex={isTabStop() ? 0 : -1} aria-current={isOpen() ? 'true' : undefined} onFocus={() => props.store.setFocused(id())} onKeyDown={onKeyDown}
          onClick={() => { route.openChat(id()); props.onPick() }} onContextMenu={(event) => { event.preventDefault(); openMenu?.() }}
        >
          <i class={`dot ${mark() ?? ''}`} /><b>{name()}</b><time>{shortWhen(props.session.activeAtMs, props.store.now())}</time>
          <small><Show when={isNew()}><span class="sr">New. </span></Show>{words() || '\u00a0'}</small>
        </button>
        <Menu label={`More for ${name()}`} class="icon more" items={items()} ref={(open) => { openMenu = open }} tabindex={isTabStop() ? 0 : -1} />
      </Show>
    </div>
  )
}

function RenameForm(props: { name: string; session: Session; store: ListStore }) {
  const deeds = sessionDeeds(useServices())
  const { session, name } = props // As they were when the form opened: a list that is read meanwhile does not write over what is typed.
  const id = session.sessionId
  const save = (event: SubmitEvent): void => {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget as HTMLFormElement).get('title') ?? '')
    props.store.endRename(id)
    void deeds.rename(session, title)
  }
  return (
    <form onSubmit={save} onKeyDown={(event) => { if (event.key === 'Escape' && !event.isComposing) { event.preventDefault(); props.store.endRename(id) } }}>
      <input class="field" name="title" aria-label="New name" value={name} maxlength={TITLE_CHARS_MAX} ref={(el) => queueMicrotask(() => { el.focus(); el.select() })} />
      <button type="submit" class="btn s p">Save</button>
    </form>
  )
}
