/** The conversation, top to bottom: rows of the virtual list, what waits below them, and the way back to the end. */
import { createEffect, createMemo, createSignal, type JSX, on, onCleanup, Show } from 'solid-js'
import { preference } from '#web/state/preferences.ts'
import { useShortcut } from '#web/state/shortcuts.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { Conversation } from '../conversation.ts'
import { copySelection } from './copy-selection.ts'
import { createLiveBlocks } from './live-blocks.ts'
import type { Row } from './row.ts'
import { RowView } from './row-view.tsx'
import { createRowMaker } from './rows.ts'
import { type ListHandle, VirtualList } from './virtual-list.tsx'

export { warmMarkdown } from '../markdown/warm.ts'

export type TranscriptHandle = ListHandle & { rows(): readonly Row[]; toStart(): void }

export function TranscriptView(props: { conversation: Conversation; sent: number; children: JSX.Element; onReady?(handle: TranscriptHandle): void }) {
  const maker = createRowMaker()
  const live = createLiveBlocks()
  const [handle, setHandle] = createSignal<ListHandle | null>(null)
  const rows = createMemo(() => maker.rows(props.conversation.items(), live, { retryTurnId: props.conversation.retryTurnId(), showThinking: preference('showThinking'), thoughtS: props.conversation.thoughtS, seenTool: props.conversation.seenTool }))
  createEffect(() => live.keepOnly(props.conversation.view().turn ? `turn-${props.conversation.view().turn?.turnId}` : null))
  const following = (): boolean => (handle()?.following() ?? true) && props.conversation.atEnd()

  // Messages that came since the person looked away.
  const [seenItems, setSeenItems] = createSignal(0)
  const itemCount = createMemo(() => props.conversation.items().filter((item) => item.kind === 'user' || item.kind === 'turn').length)
  createEffect(on([following, itemCount], ([isFollowing]) => { if (isFollowing) setSeenItems(itemCount()) }))
  const missed = (): number => (props.conversation.atEnd() ? Math.max(0, itemCount() - seenItems()) : 0)

  async function toEnd(): Promise<void> {
    await props.conversation.toEnd()
    handle()?.toEnd()
  }
  // Who sends wants to see what becomes of it.
  createEffect(on(() => props.sent, () => void toEnd(), { defer: true }))
  async function toStart(): Promise<void> {
    await props.conversation.history.openAt(0)
    requestAnimationFrame(() => { const first = rows()[0]; if (first) handle()?.toKey(first.key, 0) })
  }
  /** Home and End mean the conversation, not what happens to be loaded of it. */
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target instanceof Element && event.target.closest('input, textarea, select, [contenteditable]')) return
    if (event.key === 'Home') { event.preventDefault(); void toStart() }
    if (event.key === 'End') { event.preventDefault(); void toEnd() }
  }
  /** J and K go from message to message; the one that is read has the focus. */
  function step(by: 1 | -1): void {
    const heads = rows().filter((row) => row.who !== null)
    const here = document.activeElement?.closest<HTMLElement>('[data-key]')?.dataset['key']
    const at = heads.findIndex((row) => row.key === here)
    const next = at < 0 ? heads.at(-1) : heads[at + by]
    if (!next) return
    handle()?.toKey(next.key, 24)
    requestAnimationFrame(() => requestAnimationFrame(() => { const element = document.querySelector<HTMLElement>(`[data-key="${CSS.escape(next.key)}"]`); if (element) { element.tabIndex = -1; element.focus({ preventScroll: true }) } }))
  }
  useShortcut('latest', () => void toEnd())
  useShortcut('nextMessage', () => step(1))
  useShortcut('previousMessage', () => step(-1))
  const onEdge = (edge: 'start' | 'end'): void => { void (edge === 'start' ? props.conversation.earlier() : props.conversation.later()) }
  const ready = (made: ListHandle): void => {
    setHandle(made)
    props.onReady?.({ ...made, toEnd: () => void toEnd(), toStart: () => void toStart(), rows })
  }
  const onCopy = (event: ClipboardEvent): void => copySelection(event, rows())
  document.addEventListener('copy', onCopy)
  onCleanup(() => document.removeEventListener('copy', onCopy))
  return (
    <>
      <VirtualList rows={rows()} render={(row) => <RowView row={row()} conversation={props.conversation} />} onReady={ready} onEdge={onEdge} onKeyDown={onKeyDown} rowClass={(row) => (row.kind === 'user' || row.kind === 'stamp' || row.kind === 'notice' ? '' : 'ai')} label="Messages">{props.children}</VirtualList>
      <Show when={!following()}>
        <div class="dock-anchor"><button type="button" class="icon jump" aria-label={missed() > 0 ? `Jump to the end, ${missed()} new` : 'Jump to the end'} onClick={() => void toEnd()}><Icon name="chevron-down" /><Show when={missed() > 0}><span class="count" aria-hidden="true">{missed() > 99 ? '99+' : missed()}</span></Show></button></div>
      </Show>
    </>
  )
}
