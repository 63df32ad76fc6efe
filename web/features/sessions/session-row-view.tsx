/** One conversation in the list; rename and delete open in place. */
import { createSignal, Show } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import { shortWhen } from '#web/ui/when.ts'

const MARK_WORDS = { running: 'Working', asking: 'Waiting for you', queued: 'A message waits', elsewhere: 'Live in another program' } as const

export function SessionRowView(props: { session: Session; nowMs: number; onPick(): void }) {
  const { sessions, route } = useServices()
  const [menu, setMenu] = createSignal(false)
  const [renaming, setRenaming] = createSignal(false)
  const id = (): string => props.session.sessionId
  const mark = () => sessions.mark(id())
  const name = (): string => props.session.title || props.session.preview || 'Untitled'
  const isOpen = (): boolean => { const place = route.place(); return place.page === 'chat' && (place.chatKey === id() || route.adopted() === id()) }
  const words = (): string => { const m = mark(); return m ? MARK_WORDS[m] : props.session.title ? props.session.preview : props.session.model }
  const save = (event: SubmitEvent): void => {
    event.preventDefault()
    const title = String(new FormData(event.currentTarget as HTMLFormElement).get('title') ?? '').trim()
    setRenaming(false)
    if (title && title !== props.session.title) void sessions.rename(id(), title)
  }
  return (
    <li class="row" classList={{ on: isOpen() }}>
      <Show when={!renaming()} fallback={
        <form onSubmit={save} onKeyDown={(event) => { if (event.key === 'Escape') setRenaming(false) }}>
          <input class="field" name="title" aria-label="New name" value={name()} maxlength="200" ref={(el) => queueMicrotask(() => { el.focus(); el.select() })} />
          <button type="submit" class="btn s p">Save</button>
        </form>
      }>
        <button type="button" class="open" aria-current={isOpen() ? 'true' : undefined} onClick={() => { route.openChat(id()); props.onPick() }}>
          <i class={`dot ${mark() ?? ''}`} /><b>{name()}</b><time>{shortWhen(props.session.activeAtMs, props.nowMs)}</time><small>{words() || '\u00a0'}</small>
        </button>
        <button type="button" class="icon more" aria-label={`More for ${name()}`} aria-expanded={menu() ? 'true' : 'false'} onClick={() => setMenu(!menu())}><Icon name="ellipsis" /></button>
        <Show when={menu()}>
          <div class="acts">
            <button type="button" class="btn s" onClick={() => { setMenu(false); setRenaming(true) }}><Icon name="pencil" />Rename</button>
            <button type="button" class="btn s d" onClick={() => { setMenu(false); if (isOpen()) route.openDraft(); void sessions.remove(props.session) }}><Icon name="trash-2" />Delete</button>
          </div>
        </Show>
      </Show>
    </li>
  )
}
