/** Model, folder and approval mode of a new conversation, in sight before the first word is sent. */
import { For, Show } from 'solid-js'
import { useRelayFacts } from '#web/state/relay-facts.ts'
import { Icon } from '#web/ui/icon.tsx'
import { ModelOptions, modelValue, readModelValue } from './model-options.tsx'
import { APPROVAL_WORDS, type ApprovalMode, type NewChat } from './new-chat.ts'

export function NewChatPills(props: { newChat: NewChat }) {
  const facts = useRelayFacts()
  const value = (): string => { const model = props.newChat.model(); return model ? modelValue(model.provider, model.model) : '' }
  const pick = (raw: string): void => { props.newChat.setModel(raw ? readModelValue(raw) : null) }
  return (
    <>
      <label class="pill"><Icon name={facts.hermes()?.demo ? 'flask-conical' : 'sparkles'} /><span class="sr">Model</span>
        <select value={value()} onFocus={() => props.newChat.wantChoices()} onPointerDown={() => props.newChat.wantChoices()} onChange={(event) => pick(event.currentTarget.value)}>
          <option value="">{props.newChat.now()?.model ?? 'Default model'}</option>
          <ModelOptions choices={props.newChat.choices() ?? []} />
        </select>
      </label>
      {/* The small agent works in its one folder. */}
      <Show when={!facts.isSmallAgent()}><label class="pill"><Icon name="folder" /><span class="sr">Working directory</span><input placeholder="Home folder" value={props.newChat.cwd()} onInput={(event) => props.newChat.setCwd(event.currentTarget.value)} size="12" spellcheck={false} autocapitalize="off" autocomplete="off" /></label></Show>
      <label class="pill" classList={{ warn: props.newChat.warning() !== null }}><Icon name={props.newChat.warning() ? 'shield-alert' : 'shield-check'} /><span class="sr">Approval of commands</span>
        <select value={props.newChat.mode() ?? ''} onChange={(event) => props.newChat.setMode((event.currentTarget.value || null) as ApprovalMode | null)}>
          <Show when={props.newChat.mode() === null}><option value="">Approvals as on the host</option></Show>
          <For each={Object.entries(APPROVAL_WORDS)}>{([mode, words]) => <option value={mode}>{words}</option>}</For>
        </select>
      </label>
    </>
  )
}
