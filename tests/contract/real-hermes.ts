/** A real, unmodified Hermes for one test file: started against the scripted model, ended with everything it started. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { DashboardSecrets } from '#relay/ingress/dashboard-credential.ts'
import { until } from './until.ts'

/** Tests and benchmarks run from the root of the repository; a bundled benchmark lies elsewhere. */
const root = process.cwd()
const here = join(root, 'tests', 'contract')
/** The first line comes after about 4 s on two idle cores. */
const READY_WITHIN_MS = 60_000
const END_WITHIN_MS = 15_000

/** What start.mjs says about itself. */
type Facts = {
  version: string; mode: 'open' | 'gated'
  dashboard: { baseUrl: string; wsUrl: string; token?: string; username?: string; password?: string }
  stub: { baseUrl: string }; home: string; workdir: string; pids: { launcher: number; stub: number; dashboard: number }
}
export type HermesOptions = { mode?: 'open' | 'gated'; config?: Record<string, unknown>; keep?: boolean }

/** The virtual environment that install.sh made; without one the tests fail, they are never skipped. */
export function hermesVenv(): string {
  const fromEnvironment = process.env['HERMES_VENV']
  const venv = fromEnvironment ?? join(root, '.cache', 'hermes-venv')
  if (existsSync(join(venv, 'bin', 'hermes'))) return venv
  throw new Error(`No Hermes in ${fromEnvironment ? 'HERMES_VENV' : '.cache/hermes-venv'}: run "bash tests/contract/upstream-hermes/install.sh .cache/hermes-venv" first.`)
}

export class RealHermes {
  readonly #child: ChildProcess
  readonly #logs: string
  readonly #lines: Facts[] = []
  #errors = ''
  #ended = false

  private constructor(options: HermesOptions) {
    this.#logs = mkdtempSync(join(tmpdir(), 'contract-hermes-'))
    const args = [
      join(here, 'upstream-hermes', 'start.mjs'), '--venv', hermesVenv(), '--no-api', '--mode', options.mode ?? 'open', '--log', this.#logs,
      ...(options.config ? ['--config', JSON.stringify(options.config)] : []), ...(options.keep ? ['--keep'] : []),
    ]
    this.#child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    createInterface({ input: this.#child.stdout! }).on('line', (line) => this.#lines.push(JSON.parse(line) as Facts))
    this.#child.stderr!.on('data', (data: Buffer) => { this.#errors = `${this.#errors}${data.toString()}`.slice(-6_000) })
    this.#child.on('exit', () => { this.#ended = true })
  }

  static async start(options: HermesOptions = {}): Promise<RealHermes> {
    const hermes = new RealHermes(options)
    await hermes.#line(1)
    return hermes
  }

  get facts(): Facts { return this.#lines.at(-1)! }
  get baseUrl(): string { return this.facts.dashboard.baseUrl }
  /** What an operator would put into the relay's configuration: nothing in open mode, one sign-in in gated mode. */
  get secrets(): DashboardSecrets {
    const { username, password } = this.facts.dashboard
    return { token: null, user: username ?? null, password: password ?? null }
  }

  async #line(count: number): Promise<void> {
    await until('Hermes to be ready', () => {
      if (this.#ended) throw new Error(`Hermes did not start:\n${this.#errors}`)
      return this.#lines.length >= count
    }, READY_WITHIN_MS)
  }

  /** SIGKILL of the dashboard process; only with `keep`. */
  async killDashboard(): Promise<void> {
    process.kill(this.facts.pids.dashboard, 'SIGKILL')
    await until('the dashboard to be gone', () => fetch(this.baseUrl).then(() => false, () => true))
  }

  /** Starts it again on the same port and home, with another token. */
  async restartDashboard(): Promise<void> {
    const count = this.#lines.length + 1
    process.kill(this.facts.pids.launcher, 'SIGUSR2')
    await this.#line(count)
  }

  /** What Hermes asked the model, oldest first. */
  async modelRequests(): Promise<{ lastUser: string; model: string; tools: string[] }[]> {
    const answer = await fetch(this.facts.stub.baseUrl.replace('/v1', '/_stub/requests'))
    return ((await answer.json()) as { requests: { lastUser: string; model: string; tools: string[] }[] }).requests
  }

  async stop(): Promise<void> {
    if (!this.#ended) {
      this.#child.kill('SIGTERM')
      await until('Hermes to end', () => this.#ended, END_WITHIN_MS)
    }
    rmSync(this.#logs, { recursive: true, force: true })
  }
}
