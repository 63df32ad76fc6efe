/** The conversation, top to bottom. Follows its end until the person scrolls up; nothing is measured while text streams. */
import { createEffect, createMemo, createSignal, Match, on, onCleanup, onMount, Show, Switch, type JSX } from 'solid-js'
import type { DisplayItem } from '#web/core/transcript/transcript.ts'
import { Icon } from '#web/ui/icon.tsx'
import { stampWhen } from '#web/ui/when.ts'
import { KeyedList } from './keyed-list.tsx'
import type { Conversation } from './conversation.ts'
import { TurnEnd, TurnView } from './turn-view.tsx'
import { UserMessage } from './user-message.tsx'

/** Closer to the end than this, in px, the page follows it. */
const NEAR_PX = 48
/** Items drawn at first, and how many more come with each look further up: a stop-gap until the list is virtual. */
export const ITEMS_AT_ONCE = 60
/** Closer to the beginning than this, in px, earlier items are drawn. */
const EARLIER_PX = 400

export function TranscriptView(props: { conversation: Conversation; sent: number; children: JSX.Element }) {
  const [following, setFollowing] = createSignal(true)
  let scroller!: HTMLDivElement
  let column!: HTMLDivElement
  let lastTop = 0
  // By key, not by number: what is read stays, whether rows are added behind it or the rest of a history arrives before it.
  const [firstKey, setFirstKey] = createSignal<string | null>(null)
  const hidden = createMemo(() => {
    const items = props.conversation.items()
    const at = firstKey() === null ? -1 : items.findIndex((item) => item.key === firstKey())
    return at >= 0 ? at : Math.max(0, items.length - ITEMS_AT_ONCE)
  })
  const shown = createMemo(() => (hidden() === 0 ? props.conversation.items() : props.conversation.items().slice(hidden())))
  const showEarlier = (): void => {
    const fromEnd = scroller.scrollHeight - scroller.scrollTop
    setFirstKey(props.conversation.items()[Math.max(0, hidden() - ITEMS_AT_ONCE)]?.key ?? null)
    scroller.scrollTop = scroller.scrollHeight - fromEnd
    lastTop = scroller.scrollTop
  }
  const toEnd = (): void => { scroller.scrollTop = scroller.scrollHeight }
  // Who sends wants to see what becomes of it.
  createEffect(on(() => props.sent, () => { setFirstKey(null); setFollowing(true); toEnd() }, { defer: true }))
  onMount(() => {
    // Growth of the text and of the frame (keyboard, composer) come here; scrolling is done once per frame at most.
    const watch = new ResizeObserver(() => { if (following() && props.conversation.items().length > 0) toEnd() })
    watch.observe(column)
    watch.observe(scroller)
    onCleanup(() => watch.disconnect())
  })
  const onScroll = (): void => {
    const top = scroller.scrollTop
    const atEnd = scroller.scrollHeight - top - scroller.clientHeight < NEAR_PX
    if (atEnd) { setFollowing(true); if (top > lastTop) setFirstKey(null) }
    else if (top < lastTop - 1) { setFirstKey(shown()[0]?.key ?? null); setFollowing(false) } // What is being read must not vanish when rows are added.
    lastTop = top
    if (top < EARLIER_PX && hidden() > 0 && !following()) showEarlier()
  }
  return (
    <>
      <div class="scroll" ref={scroller} onScroll={onScroll} tabindex="0" role="log" aria-live="off" aria-label="Messages">
        <div class="col" ref={column}>
          <Show when={hidden() > 0}><button type="button" class="btn s earlier" onClick={showEarlier}>Show earlier</button></Show>
          <KeyedList items={shown()}>{(item) => <Item item={item()} conversation={props.conversation} />}</KeyedList>
          {props.children}
        </div>
      </div>
      <Show when={!following()}><div class="dock-anchor"><button type="button" class="icon jump" aria-label="Jump to the end" onClick={() => { setFollowing(true); toEnd() }}><Icon name="chevron-down" /></button></div></Show>
    </>
  )
}

function Item(props: { item: DisplayItem; conversation: Conversation }) {
  const as = <Kind extends DisplayItem['kind']>(kind: Kind) => (): Extract<DisplayItem, { kind: Kind }> | null => (props.item.kind === kind ? (props.item as Extract<DisplayItem, { kind: Kind }>) : null)
  return (
    <Switch>
      <Match when={as('user')()}>{(item) => <UserMessage item={item()} conversation={props.conversation} />}</Match>
      <Match when={as('turn')()}>{(item) => <TurnView blocks={item().blocks} live={item().live} asking={props.conversation.asks().length > 0} asks={item().asks} />}</Match>
      <Match when={as('stamp')()}>{(item) => <div class="stamp">{stampWhen(item().atMs, Date.now())}</div>}</Match>
      <Match when={as('notice')()}>{(item) => <div class="notice"><Icon name="bell" /><span>{item().text.split('\n')[0]}</span></div>}</Match>
      <Match when={as('outcome')()}>{(item) => <TurnEnd outcome={item().outcome.outcome} />}</Match>
    </Switch>
  )
}
