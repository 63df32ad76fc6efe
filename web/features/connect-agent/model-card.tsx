/** A model of any OpenAI-compatible server: its address, its key if it wants one, one of its models. */
import { createSignal, For, Show } from 'solid-js'
import type { AgentState } from '#protocol/agent/agent-state.ts'
import { Button } from '#web/ui/button.tsx'
import { Chip } from '#web/ui/choices.tsx'
import { Badge, Field } from '#web/ui/parts.tsx'
import type { AgentStore } from './agent-store.ts'
import { isBusy, SERVERS } from './agent-words.ts'

export function ModelCard(props: { state: AgentState; store: AgentStore }) {
  const inUse = () => (props.state.choice.kind === 'provider' ? props.state.choice : null)
  const [baseUrl, setBaseUrl] = createSignal(inUse()?.base_url ?? props.state.ollama?.base_url ?? '')
  const [key, setKey] = createSignal('')
  const [models, setModels] = createSignal<readonly string[]>(props.state.ollama?.base_url === baseUrl() ? (props.state.ollama?.models ?? []) : [])
  const [model, setModel] = createSignal(inUse()?.model ?? models()[0] ?? '')
  const [error, setError] = createSignal<string | null>(null)
  const [looking, setLooking] = createSignal(false)
  /** The key that is kept belongs to this address. */
  const hasKept = (): boolean => props.state.has_key && inUse()?.base_url === baseUrl()
  const keyToSend = (): { key?: string } => (key() !== '' || !hasKept() ? { key: key().trim() } : {})
  const choose = (url: string): void => {
    setBaseUrl(url)
    setModels(props.state.ollama?.base_url === url ? props.state.ollama.models : [])
    setModel(models()[0] ?? '')
    setError(null)
  }
  async function find(): Promise<void> {
    if (looking() || baseUrl().trim() === '') return
    setLooking(true)
    const found = await props.store.models(baseUrl(), keyToSend().key)
    setLooking(false)
    setError(found.failure ? `${found.failure.say} ${found.failure.next}` : null)
    setModels(found.models)
    if (found.models.length > 0 && !found.models.includes(model())) setModel(found.models[0] ?? '')
  }
  async function connect(): Promise<void> {
    if (await props.store.wish({ kind: 'provider', base_url: baseUrl(), model: model(), ...keyToSend() })) setKey('')
  }
  return (
    <section class="card" aria-label="Use a model">
      <div class="head"><h2>Use a model</h2><Show when={inUse()}><Badge tone="ok">in use</Badge></Show></div>
      <form class="li model-form" onSubmit={(event) => { event.preventDefault(); if (model() === '') void find(); else void connect() }}>
        <p><small>A small agent inside the relay answers with it: chats, commands after your approval, files in one folder. Prompts go to that server and nowhere else.</small></p>
        <div class="servers"><For each={SERVERS}>{(server) => <Chip on={baseUrl() === server.baseUrl} onClick={() => choose(server.baseUrl)}>{server.name}</Chip>}</For></div>
        <div class="pair">
          <Field label="Address" error={error()} hint="Any OpenAI-compatible server, as the host reaches it.">{(field) => <input {...field} type="url" inputmode="url" autocapitalize="off" autocomplete="off" spellcheck={false} placeholder="http://127.0.0.1:11434/v1" value={baseUrl()} onInput={(event) => { setBaseUrl(event.currentTarget.value); setModels([]) }} />}</Field>
          <Field label="Key" hint={hasKept() ? 'One is kept on the host. Leave this empty to use it.' : 'Only if the server wants one. Kept encrypted on the host, never shown again.'}>{(field) => <input {...field} type="password" autocomplete="off" value={key()} onInput={(event) => setKey(event.currentTarget.value)} />}</Field>
        </div>
        <div class="pair last">
          <Field label="Model">{(field) => (
            <Show when={models().length > 0} fallback={<input {...field} type="text" autocapitalize="off" autocomplete="off" spellcheck={false} placeholder="its name" value={model()} onInput={(event) => setModel(event.currentTarget.value)} />}>
              <select {...field} value={model()} onChange={(event) => setModel(event.currentTarget.value)}><For each={models()}>{(name) => <option value={name} selected={name === model()}>{name}</option>}</For></select>
            </Show>
          )}</Field>
          <div class="deeds">
            <Button icon="search" busy={looking()} disabled={baseUrl().trim() === ''} onClick={() => void find()}>List models</Button>
            <Button kind="primary" busy={props.store.wishing() === 'provider' || (props.state.switching && !props.state.managed.wanted)} disabled={baseUrl().trim() === '' || model().trim() === '' || (isBusy(props.state) && props.state.managed.wanted)} onClick={() => void connect()}>Connect</Button>
          </div>
        </div>
      </form>
    </section>
  )
}
