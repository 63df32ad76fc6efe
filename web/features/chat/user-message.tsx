/** What a person wrote, and where it is while it is on its way. Nothing is shown for what arrived. */
import { Match, Show, Switch } from 'solid-js'
import type { DisplayItem } from '#web/core/transcript/transcript.ts'
import { useServices } from '#web/state/services.ts'
import { Icon } from '#web/ui/icon.tsx'
import type { Conversation } from './conversation.ts'

type UserItem = Extract<DisplayItem, { kind: 'user' }>
/** A longer message scrolls inside its bubble, in UTF-16 units. */
const LONG_CHARS = 2_000

const PAGE_WORDS = { saving: 'Saving', waiting: 'Waits for the connection', sending: 'Sending', accepted: '', refused: '' } as const
const RELAY_WORDS = { queued: '', sending: 'Sending', sent: '', checking: 'Checking whether it arrived', steering: 'Sent as a hint', steered: 'Sent as a hint', confirmed: '', failed: '', unconfirmed: '' } as const

export function UserMessage(props: { item: UserItem; conversation: Conversation }) {
  const { outbox, toast } = useServices()
  const id = (): string => props.item.clientMsgId ?? ''
  const way = () => props.item.way
  const page = () => { const w = way(); return w?.where === 'page' ? w : null }
  const relay = () => { const w = way(); return w?.where === 'relay' ? w : null }
  const resolve = (verdict: 'send_again' | 'arrived' | 'discard'): void => props.conversation.order({ type: 'live.resolve', payload: { client_msg_id: id(), verdict } })
  const keep = (): void => { void navigator.clipboard?.writeText(props.item.text).then(() => toast.show('Text copied')) }
  return (
    <div class="me-wrap">
      <div class="me" classList={{ long: props.item.text.length > LONG_CHARS }}>{props.item.text}</div>
      <Switch>
        <Match when={page()?.phase === 'refused'}>
          <div class="way bad" role="alert"><span>{page()?.say} {page()?.next}</span>
            <button type="button" class="btn s" onClick={() => outbox.give({ kind: 'send_again', clientMsgId: id() })}>Send again</button>
            <button type="button" class="btn s g" onClick={() => { keep(); outbox.give({ kind: 'discarded', clientMsgId: id() }) }}>Discard</button>
          </div>
        </Match>
        <Match when={page()}>{(w) => <Show when={PAGE_WORDS[w().phase]}><div class="way"><Icon name="clock" />{PAGE_WORDS[w().phase]}</div></Show>}</Match>
        <Match when={relay()?.state === 'unconfirmed'}>
          <div class="way warn" role="alert"><span>Not sure whether this arrived. {relay()?.reason}</span>
            <button type="button" class="btn s" onClick={() => resolve('send_again')}>Send again</button>
            <button type="button" class="btn s" onClick={() => resolve('arrived')}>It arrived</button>
          </div>
        </Match>
        <Match when={relay()?.state === 'failed'}>
          <div class="way bad" role="alert"><span>Not sent. {relay()?.reason}</span>
            <button type="button" class="btn s" onClick={() => resolve('send_again')}>Send again</button>
            <button type="button" class="btn s g" onClick={() => resolve('discard')}>Discard</button>
          </div>
        </Match>
        <Match when={relay()}>{(w) => <Show when={RELAY_WORDS[w().state]}><div class="way"><Icon name="clock" />{RELAY_WORDS[w().state]}</div></Show>}</Match>
      </Switch>
    </div>
  )
}
