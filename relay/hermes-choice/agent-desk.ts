/** Takes wishes about what answers, prepares what they need, and has the relay change over. One at a time; a failed one changes nothing. */
import type { AgentState, AgentWish } from '#protocol/agent/agent-state.ts'
import { Refused, wordsOf } from '#protocol/refusal/refusal.ts'
import type { Chance, Clock } from '#relay/clock/clock.ts'
import type { FoundPython } from '#relay/managed/find-python.ts'
import type { FirstModel } from '#relay/managed/hermes-config.ts'
import type { ManagedAddress, ManagedHermes } from '#relay/managed/managed-hermes.ts'
import type { InstallProgress } from '#relay/managed/pip-progress.ts'
import type { AgentDoor } from './agent-routes.ts'
import { type Choice, type Decided, firstChatModel, OLLAMA_URL, parseProviderUrl, sameServer, settingsKey } from './choice.ts'
import { decideChoice, type DecideParts, findChoice, findModel, type FoundModel, OLLAMA_WITHIN_MS } from './decide-choice.ts'

/** What was learnt of the host is looked at again after this long, in ms. */
export const HOST_FRESH_MS = 10_000
/** The answer to a wish leaves before its sockets are closed, in ms. */
const CHANGE_AFTER_MS = 100

const NO_MODEL = 'Hermes runs, but it has no model yet: it cannot answer.'
const FILE_OF_MODEL = 'hermes/home/config.yaml in the data folder'

/** What `relay/cli` does for the desk. */
export interface Changeover {
  /** Puts another one behind the running relay. Throws when what was there before had to be taken back. */
  changeTo(decided: Decided): Promise<void>
}
export type DeskParts = DecideParts & {
  dataDir: string; clock: Clock; chance: Chance; changeover: Changeover
  onProgress(progress: InstallProgress): void
  onLog(line: string, facts: Record<string, unknown>): void
  /** A sentence for whoever looks at the terminal. */
  onNotice(text: string): void
}

/** A model for a Hermes to begin with, and whether a person named it. */
type BeginningModel = FoundModel & Pick<FirstModel, 'isNamed'>

export class AgentDesk implements AgentDoor {
  readonly #parts: DeskParts
  #now: Decided = { choice: { kind: 'demo' }, by: 'found', key: null }
  #wanted: Decided | null = null
  #failed: { say: string; next: string } | null = null
  #managed: ManagedHermes | null = null
  #work: Promise<void> | null = null
  #host: { atMs: number; python: FoundPython; ollama: string[] | null } | null = null
  #isClosed = false

  constructor(parts: DeskParts) {
    this.#parts = parts
  }

  /** What answers now; `wanted` differs while it is being prepared. */
  get now(): Decided { return this.#now }
  get wanted(): Decided | null { return this.#wanted }
  /** A Hermes of our own runs or is being installed: ending takes longer. */
  get hasManaged(): boolean { return this.#managed !== null && (this.#work !== null || this.#managed.state().phase !== 'off') }

  /** For the start. A managed Hermes that is not installed yet leaves the demo in its place until `prepare`. */
  async first(): Promise<Decided> {
    const decided = await decideChoice(this.#parts)
    if (decided.choice.kind === 'managed' && !(await this.#managedHermes()).isInstalled) {
      this.#wanted = decided
      this.#now = { choice: { kind: 'demo' }, by: decided.by, key: null }
    } else this.#now = decided
    return this.#now
  }

  /** Once the relay runs: brings what was wanted at the start. */
  prepare(): void {
    if (this.#wanted) this.#begin(this.#wanted)
  }

  /** Starts the installed Hermes and says where it is; the relay's transport waits for it. */
  async managedAddress(): Promise<ManagedAddress> {
    const model = await this.#beginning(this.#now)
    return (await this.#managedHermes()).start(model && await firstOf(model), model?.key ?? null)
  }

  async state(): Promise<AgentState> {
    const { python, ollama } = await this.#lookAtHost()
    const managed = this.#managed?.state() ?? null
    return {
      choice: wireChoice(this.#now.choice), decided_by: this.#now.by, can_change: this.#canChange, switching: this.#work !== null, failed: this.#failed,
      managed: {
        installed: (await this.#managedHermes()).isInstalled, running: managed?.phase === 'running',
        wanted: (this.#wanted ?? this.#now).choice.kind === 'managed', progress: managed?.progress ?? null, no_model: await this.#noModel(),
      },
      python: { ok: python.ok, say: python.say }, ollama: ollama && { base_url: OLLAMA_URL, models: ollama }, has_key: this.#now.key !== null,
    }
  }

  async #noModel(): Promise<AgentState['managed']['no_model']> {
    return this.#now.choice.kind === 'managed' && (await this.#managed?.lacksModel()) ? this.#noModelWords() : null
  }

  #noModelWords(): { say: string; next: string } {
    return { say: NO_MODEL, next: this.#canChange ? 'Connect one under “Use a model”, then start Hermes again: it takes that model over.' : `Start the relay again with --provider and --model as well, or name a model in ${FILE_OF_MODEL}.` }
  }

  async wish(wish: AgentWish): Promise<void> {
    if (!this.#canChange) throw new Refused('agent_fixed')
    if (this.#work) throw new Refused('agent_busy')
    const decided = await this.#judge(wish)
    if (this.#work) throw new Refused('agent_busy') // Another page was faster.
    this.#begin(decided)
  }

  async models(rawUrl: string, key: string | null | undefined): Promise<string[]> {
    const baseUrl = parseProviderUrl(rawUrl)
    if (baseUrl === null) throw new Refused('provider_url_refused')
    const answer = await this.#parts.askModels(baseUrl, this.#keyFor(baseUrl, key))
    if (!answer.ok) throw new Refused('provider_failed', { say: answer.say, next: answer.next })
    return answer.models
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await this.#managed?.stop()
    await this.#work
  }

  get #canChange(): boolean {
    const { hermes, provider } = this.#parts.settings
    return hermes === 'auto' && provider === null
  }

  async #judge(wish: AgentWish): Promise<Decided> {
    if (wish.kind === 'auto') return findChoice(this.#parts)
    if (wish.kind === 'demo') return { choice: { kind: 'demo' }, by: 'app', key: null }
    if (wish.kind === 'managed') {
      this.#host = null // What was missing may have been installed a moment ago.
      const { python } = await this.#lookAtHost()
      if (!python.ok && !(await this.#managedHermes()).isInstalled) throw new Refused('python_missing', { say: python.say })
      return { choice: { kind: 'managed' }, by: 'app', key: null }
    }
    const baseUrl = parseProviderUrl(wish.base_url)
    if (baseUrl === null) throw new Refused('provider_url_refused')
    const key = this.#keyFor(baseUrl, wish.key)
    const answer = await this.#parts.askModels(baseUrl, key)
    // A server without a list may chat all the same; one that is away or refuses the key does not.
    if (!answer.ok && (answer.code === 'unreachable' || answer.code === 'refused_key' || answer.code === 'silent')) throw new Refused('provider_failed', { say: answer.say, next: answer.next })
    return { choice: { kind: 'provider', baseUrl, model: wish.model }, by: 'app', key }
  }

  /** The kept key goes to the server that it was entered for, to no other. */
  #keyFor(baseUrl: string, key: string | null | undefined): string | null {
    if (key !== undefined) return key === '' ? null : key
    const { choice, key: kept } = this.#now
    if (choice.kind === 'provider' && sameServer(choice.baseUrl, baseUrl)) return kept
    return settingsKey(baseUrl, this.#parts.settings, this.#parts.environment)
  }

  #begin(decided: Decided): void {
    this.#failed = null
    this.#wanted = decided
    this.#work = this.#bring(decided).catch(async (error: unknown) => {
      const refused = error instanceof Refused ? error : new Refused('agent_failed')
      this.#parts.onLog('the agent was not changed', { reason: refused.code })
      const { say, next } = wordsOf(refused.code, refused.detail)
      this.#failed = { say, next }
      await this.#endUnused()
    }).finally(() => {
      this.#work = null
      this.#wanted = null
    })
  }

  async #bring(decided: Decided): Promise<void> {
    if (decided.choice.kind === 'managed') {
      const model = await this.#beginning(decided)
      const brought = await (await this.#managedHermes()).bring(model && await firstOf(model), model?.key ?? null)
      if (!brought.ok) throw new Refused('agent_failed', { say: brought.say, next: brought.next })
      // Its configuration names the key but does not hold it: it is kept here, and given at each start.
      if (model) return this.#take({ ...decided, choice: { kind: 'managed', first: { baseUrl: model.baseUrl, model: model.model } }, key: model.key })
    } else await new Promise<void>((resolve) => void this.#parts.clock.setTimer(resolve, CHANGE_AFTER_MS))
    await this.#take(decided)
  }

  async #take(decided: Decided): Promise<void> {
    const { changeover, repo } = this.#parts
    if (this.#isClosed) return
    await changeover.changeTo(decided)
    this.#now = decided
    await this.#endUnused()
    if (decided.by === 'app') await repo.write(decided)
    else if (this.#canChange) await repo.forget()
  }

  /** A Hermes that nobody talks to any more, or whose change-over failed. */
  async #endUnused(): Promise<void> {
    if (!this.#managed || this.#now.choice.kind === 'managed' || this.#managed.state().phase === 'off') return
    await this.#managed.stop()
    this.#managed = null
  }

  /** The model that it began with, else the one to begin with. */
  async #beginning({ choice, key }: Decided): Promise<BeginningModel | null> {
    return choice.kind === 'managed' && choice.first ? { ...choice.first, key, isNamed: false } : this.#firstModel()
  }

  /** What a Hermes without a configuration begins with: the model in the settings, the one that answers now, or one of the host. */
  async #firstModel(): Promise<BeginningModel | null> {
    const { settings, environment, askModels } = this.#parts
    const { provider, model } = settings
    if (provider !== null) {
      const key = settingsKey(provider, settings, environment)
      const answer = model === null ? await askModels(provider, key) : null
      const name = model ?? (answer?.ok ? firstChatModel(answer.models) : null)
      return name === null ? null : { baseUrl: provider, model: name, key, isNamed: true }
    }
    if (this.#now.choice.kind === 'provider') return { ...this.#now.choice, key: this.#now.key, isNamed: this.#now.by !== 'found' }
    const kept = await this.#parts.repo.read()
    if (kept?.choice.kind === 'provider') return { ...kept.choice, key: kept.key, isNamed: true }
    const found = await findModel({ settings, environment, askModels })
    return found && { ...found, isNamed: false }
  }

  async #managedHermes(): Promise<ManagedHermes> {
    if (this.#managed) return this.#managed
    const { dataDir, clock, chance, environment, onProgress, onLog, onNotice } = this.#parts
    const { ManagedHermes } = await import('../managed/managed-hermes.ts')
    this.#managed ??= new ManagedHermes({ dataDir, clock, chance, environment, onProgress, onLog, onNoModel: () => {
      const { say, next } = this.#noModelWords()
      onNotice(`${say} ${next}`)
    } })
    return this.#managed
  }

  async #lookAtHost(): Promise<{ python: FoundPython; ollama: string[] | null }> {
    const { clock, environment, askModels } = this.#parts
    if (this.#host && clock.now() - this.#host.atMs < HOST_FRESH_MS) return this.#host
    const { findPython } = await import('../managed/find-python.ts')
    const [python, ollama] = await Promise.all([findPython(environment), askModels(OLLAMA_URL, null, OLLAMA_WITHIN_MS)])
    this.#host = { atMs: clock.now(), python, ollama: ollama.ok && ollama.models.length > 0 ? ollama.models : null }
    return this.#host
  }
}

const wireChoice = (choice: Choice): AgentState['choice'] => choice.kind === 'provider' ? { kind: 'provider', base_url: choice.baseUrl, model: choice.model } : choice.kind === 'managed' ? { kind: 'managed' } : choice

/** Hermes wants the address with its `/v1`. */
async function firstOf({ baseUrl, model, key, isNamed }: BeginningModel): Promise<FirstModel> {
  const { apiRoot } = await import('../embedded/agent/model-client.ts')
  return { baseUrl: apiRoot(baseUrl), model, hasKey: key !== null, isNamed }
}
