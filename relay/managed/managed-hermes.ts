/** The managed Hermes as one thing: installed when needed, running, ended with the relay. One installation at a time. */
import type { Chance, Clock, TimerHandle } from '#relay/clock/clock.ts'
import { createSendHttp } from '#relay/ingress/send-http.ts'
import { findPython } from './find-python.ts'
import { type FirstModel, hermesHome, keyVariable, writeFirstConfig } from './hermes-config.ts'
import { freePort, HermesProcess } from './hermes-process.ts'
import { installHermes, installPaths, isInstalled } from './install-hermes.ts'
import { hasModel } from './model-look.ts'
import type { InstallProgress } from './pip-progress.ts'
import type { Phase, Said } from './supervise-core.ts'

const TOKEN_BYTES = 32
const GAVE_UP = 'Hermes ended again and again, so it is not started any more.'
/** Who asks whether it has a model waits no longer, in ms; Hermes may ask servers of its own first. */
const MODEL_LOOK_MS = 1_500
const SEE_LOG = 'The reason is in hermes/hermes.log in the data folder.'

export type ManagedAddress = { baseUrl: string; token: string }
export type ManagedState = { installed: boolean; phase: Phase; progress: InstallProgress | null }
export type Brought = { ok: true; address: ManagedAddress } | { ok: false; say: string; next: string }
export type ManagedParts = {
  dataDir: string; clock: Clock; chance: Chance; environment: NodeJS.ProcessEnv
  onProgress(progress: InstallProgress): void
  onLog(line: string, facts: Record<string, unknown>): void
  /** It runs, and nothing gives it a model. Said once. */
  onNoModel(): void
}

export class ManagedHermes {
  readonly #parts: ManagedParts
  readonly #paths
  readonly #ending = new AbortController()
  #progress: InstallProgress | null = null
  #installing: Promise<Brought> | null = null
  #process: HermesProcess | null = null
  #address: ManagedAddress | null = null
  readonly #waiting: ((what: Said) => void)[] = []
  #hasModel: boolean | null = null
  #looking: Promise<void> | null = null

  constructor(parts: ManagedParts) {
    this.#parts = parts
    this.#paths = installPaths(parts.dataDir)
  }

  get isInstalled(): boolean { return isInstalled(this.#paths) }
  state = (): ManagedState => ({ installed: this.isInstalled, phase: this.#process?.phase ?? 'off', progress: this.#progress })

  /** Installs it where it is not, and starts it. `first`: the model it begins with, if it has no configuration yet. */
  bring(first: FirstModel | null, key: string | null): Promise<Brought> {
    this.#installing ??= this.#bring(first, key).finally(() => { this.#installing = null })
    return this.#installing
  }

  async #bring(first: FirstModel | null, key: string | null): Promise<Brought> {
    if (!this.isInstalled) {
      const { environment } = this.#parts
      this.#tell({ phase: 'python', done: 0, total: 1, line: 'Looking for Python' })
      const python = await findPython(environment)
      if (!python.ok) return this.#fail(python.say, 'Install what is missing, then try again.')
      const installed = await installHermes({ paths: this.#paths, python, environment: ownEnvironment(environment), signal: this.#ending.signal, onProgress: (progress) => this.#tell(progress) })
      if (!installed.ok) return this.#fail(installed.say, 'The whole story is in hermes/install.log in the data folder. Try again: it begins anew.')
    }
    const address = await this.start(first, key)
    if (this.#process?.phase === 'running') return { ok: true, address }
    const what = await new Promise<Said>((resolve) => this.#waiting.push(resolve))
    return what === 'running' ? { ok: true, address } : { ok: false, say: what === 'ended' ? 'Hermes was stopped.' : GAVE_UP, next: SEE_LOG }
  }

  /** Whether it runs without any model. What is not known (yet) is not claimed. */
  async lacksModel(): Promise<boolean> {
    if (this.#process?.phase !== 'running' || !this.#address) return false
    if (this.#hasModel !== true) {
      const { clock } = this.#parts
      let timer: TimerHandle | null = null
      await Promise.race([this.#look(this.#address), new Promise<void>((resolve) => { timer = clock.setTimer(resolve, MODEL_LOOK_MS) })])
      if (timer) clock.clearTimer(timer)
    }
    return this.#hasModel === false
  }

  #look({ baseUrl, token }: ManagedAddress): Promise<void> {
    this.#looking ??= hasModel(createSendHttp(baseUrl), token).then((has) => {
      if (has === false && this.#hasModel !== false) this.#parts.onNoModel()
      this.#hasModel = has
    }).finally(() => { this.#looking = null })
    return this.#looking
  }

  /** Starts what is installed, at once; whoever asks it waits until it answers. */
  async start(first: FirstModel | null, key: string | null): Promise<ManagedAddress> {
    if (this.#ending.signal.aborted) throw new Error('invariant broken: a stopped Hermes is not started again')
    if (this.#address && this.#process) {
      this.#process.start()
      return this.#address
    }
    const { clock, chance, environment, onLog } = this.#parts
    const home = hermesHome(this.#paths.folder)
    const hasConfig = writeFirstConfig(home, first)
    const [port, token] = [await freePort(), chance.token(TOKEN_BYTES)]
    onLog('managed hermes starts', { port, configured: hasConfig })
    const total = this.#progress?.total ?? 1
    this.#tell({ phase: 'start', done: total - 1, total, line: 'Starting Hermes' })
    this.#process = new HermesProcess({
      program: this.#paths.hermes, folder: this.#paths.folder, port, clock,
      environment: { ...ownEnvironment(environment), HERMES_HOME: home, HERMES_DASHBOARD_SESSION_TOKEN: token, PYTHONUNBUFFERED: '1', ...(first && key !== null && { [keyVariable(first.baseUrl)]: key }) },
      onSay: (what) => this.#heard(what),
    })
    this.#address = { baseUrl: `http://127.0.0.1:${port}`, token }
    this.#process.start()
    return this.#address
  }

  #heard(what: Said): void {
    this.#parts.onLog(`managed hermes ${what}`, {})
    const total = this.#progress?.total ?? 1
    if (what === 'running') {
      this.#tell({ phase: 'ready', done: total, total, line: 'Hermes answers' })
      void this.lacksModel()
    }
    if (what === 'restarting') this.#tell({ phase: 'start', done: total - 1, total, line: 'Hermes ended by itself; it is started again' })
    if (what === 'gave_up') this.#fail(GAVE_UP, SEE_LOG)
    if (what !== 'restarting') for (const resolve of this.#waiting.splice(0)) resolve(what)
  }

  #tell(progress: InstallProgress): void {
    this.#progress = progress
    this.#parts.onProgress(progress)
  }
  #fail(say: string, next: string): Brought {
    this.#tell({ phase: 'failed', done: 0, total: 1, line: `${say} ${next}` })
    return { ok: false, say, next }
  }

  /** Ends it, or the installation. Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all([this.#installing, this.#process?.stop()])
    if (this.#process && this.#process.phase !== 'off') await this.#process.stop() // An installation may have come to its end just then.
    this.#process = null
  }
}

/** Nothing of the relay's own settings reaches Hermes: its secrets are among them. */
const ownEnvironment = (environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv => Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('HERMES_RELAY_') && name !== 'HERMES_HOME' && name !== 'NODE_OPTIONS'))
