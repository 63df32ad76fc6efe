/** Find in conversation: over the whole of it, marked by the browser's own highlights, so that no text is built anew. */
import './find.css'
import { createEffect, onCleanup, onMount, Show } from 'solid-js'
import { placesOf } from '#web/core/history/find.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { Conversation } from '../conversation.ts'
import type { TranscriptHandle } from '../transcript/transcript-view.tsx'
import { createFind } from './find-store.ts'

/** Marks drawn at once. */
const MARKS_MAX = 500

export default function FindBar(props: { conversation: Conversation; transcript: TranscriptHandle | null; onClose(): void }) {
  let field!: HTMLInputElement
  const find = createFind(props.conversation, () => props.transcript)
  const words = (): string => (find.needle() === '' ? '' : find.hits().length === 0 ? (find.searching() ? 'Searching' : 'No results') : `${find.at()} of ${find.hits().length}${find.searching() ? '…' : ''}`)
  onMount(() => { field.focus(); field.select() })
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return
    if (event.key === 'Enter') { event.preventDefault(); if (event.shiftKey) find.previous(); else find.next() }
  }
  markWords(() => find.needle())
  return (
    <search class="findbar" aria-label="Find in this conversation">
      <Icon name="search" />
      <input ref={field} type="text" aria-label="Find in this conversation" placeholder="Find in this conversation" value={find.query()} onInput={(event) => find.setQuery(event.currentTarget.value)} onKeyDown={onKeyDown} autocomplete="off" spellcheck={false} enterkeyhint="search" />
      <span class="count" role="status"><Show when={words()} fallback={'\u00a0'}>{words()}</Show></span>
      <button type="button" class="icon" aria-label="Previous result" title="Previous (Shift+Enter)" disabled={find.hits().length === 0} onClick={() => find.previous()}><Icon name="chevron-up" /></button>
      <button type="button" class="icon" aria-label="Next result" title="Next (Enter)" disabled={find.hits().length === 0} onClick={() => find.next()}><Icon name="chevron-down" /></button>
      <button type="button" class="icon" aria-label="Close find" title="Close (Escape)" onClick={() => props.onClose()}><Icon name="x" /></button>
    </search>
  )
}

/** Highlights of all drawn rows, drawn again when other rows are drawn. Browsers without them jump all the same. */
function markWords(needle: () => string): void {
  const highlights = (CSS as { highlights?: Map<string, unknown> }).highlights
  if (!highlights || typeof Highlight === 'undefined') return
  const column = document.querySelector('.scroll .col')
  let frame = 0
  const draw = (): void => {
    frame = 0
    const ranges: Range[] = []
    const words = needle()
    if (words !== '' && column) {
      const walker = document.createTreeWalker(column, NodeFilter.SHOW_TEXT)
      for (let node = walker.nextNode(); node && ranges.length < MARKS_MAX; node = walker.nextNode()) {
        for (const [start, end] of placesOf(node.nodeValue ?? '', words)) {
          const range = new Range()
          range.setStart(node, start)
          range.setEnd(node, end)
          ranges.push(range)
        }
      }
    }
    highlights.set('find', new Highlight(...ranges))
  }
  const schedule = (): void => { if (frame === 0) frame = requestAnimationFrame(draw) }
  const watch = new MutationObserver(schedule)
  if (column) watch.observe(column, { childList: true, subtree: true, characterData: true })
  createEffect(() => { needle(); schedule() })
  onCleanup(() => { watch.disconnect(); cancelAnimationFrame(frame); highlights.delete('find') })
}
