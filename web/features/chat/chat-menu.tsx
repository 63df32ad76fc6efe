/** What can be done with the open conversation: read it from its beginning, copy it, name it, put it away. One that has not begun has no name to change. */
import { createMemo, createSignal, Show, Suspense } from 'solid-js'
import type { Session } from '#protocol/dashboard/session-row.ts'
import { DeleteSheet, RenameSheet } from '#web/features/sessions/index.ts'
import { useServices } from '#web/state/services.ts'
import { sessionDeeds } from '#web/state/session-deeds.ts'
import { Late } from '#web/ui/late.tsx'
import { Menu, type MenuItem } from '#web/ui/menu.tsx'
import { asMarkdown } from './as-markdown.ts'
import type { Conversation } from './conversation.ts'
import type { TranscriptHandle } from './transcript/transcript-view.tsx'

export function ChatMenu(props: { conversation: Conversation; transcript: TranscriptHandle | null }) {
  const services = useServices()
  const { sessions, toast, route } = services
  const deeds = sessionDeeds(services)
  const [naming, setNaming] = createSignal<Session | null>(null)
  const [deleting, setDeleting] = createSignal(false)
  /** An old one that no list has read yet is known by its id alone. */
  const session = createMemo((): Session | null => {
    const id = props.conversation.storedId()
    if (id === null) return null
    return sessions.sessions()?.find((row) => row.sessionId === id) ?? sessions.rows('archived')?.find((row) => row.sessionId === id)
      ?? { sessionId: id, title: props.conversation.view().title ?? '', preview: '', source: '', model: '', startedAtMs: 0, activeAtMs: 0, messageCount: 0, archived: false, cwd: null }
  })
  const leave = (act: () => void): void => { setDeleting(false); route.openDraft(); act() }
  const remove = (gone: Session): void => { if (deeds.isBusy(gone)) setDeleting(true); else leave(() => void deeds.remove(gone)) }
  const confirmed = (): void => { const gone = session(); if (gone) leave(() => void deeds.remove(gone)) }
  const copy = (text: string, said: string): void => { void navigator.clipboard?.writeText(text).then(() => toast.show(said)).catch(() => undefined) }
  const withSession = (act: (stored: Session) => void) => (): void => { const stored = session(); if (stored) act(stored) }
  const place = createMemo((): 'none' | 'listed' | 'archived' => { const stored = session(); return stored === null ? 'none' : stored.archived ? 'archived' : 'listed' })
  const ofStored = (): MenuItem[] => [
    { label: 'Copy its id', icon: 'copy', run: withSession((stored) => copy(stored.sessionId, 'Id copied')) },
    { label: 'Rename', icon: 'pencil', run: withSession(setNaming) },
    place() === 'archived' ? { label: 'Back to the list', icon: 'archive-restore', run: withSession((stored) => void deeds.archive(stored, false)) } : { label: 'Archive', icon: 'archive', run: withSession((stored) => leave(() => void deeds.archive(stored, true))) },
    { label: 'Delete', icon: 'trash-2', danger: true, run: withSession(remove) },
  ]
  // The entries stay the same while the list is read again: the one with the focus must not be replaced.
  const items = createMemo((): MenuItem[] => [
    { label: 'To the beginning', icon: 'chevron-up', keys: 'Home', run: () => props.transcript?.toStart() },
    { label: 'Copy as Markdown', icon: 'copy', run: () => copy(asMarkdown(props.conversation.items()), props.conversation.history.atStart() ? 'Copied' : 'Copied what is loaded of it') },
    ...(place() === 'none' ? [] : ofStored()),
  ])
  return (
    <>
      <Menu label="More" items={items()} />
      <Show when={naming()}>{(named) => <Late><Suspense><RenameSheet session={named()} onClose={() => setNaming(null)} onName={(words) => { const old = named(); setNaming(null); void deeds.rename(old, words) }} /></Suspense></Late>}</Show>
      <Show when={deleting()}><Late><Suspense><DeleteSheet open onClose={() => setDeleting(false)} onDelete={confirmed} /></Suspense></Late></Show>
    </>
  )
}
