/** Carries out what `supervise-core` orders: one Hermes dashboard on loopback, in its own process group, with its own log. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Clock, TimerHandle } from '#relay/clock/clock.ts'
import { parseStatus } from '#relay/ingress/hermes-watch.ts'
import { createSendHttp } from '#relay/ingress/send-http.ts'
import { makePrivateFolder } from '#relay/store/private-files.ts'
import { type Born, descendantsOf, endThose } from './descendants.ts'
import { killGroup } from './install-hermes.ts'
import { createRotatingLog } from './rotating-log.ts'
import { type Phase, type Said, SUPERVISED, stepSupervised, type SuperviseEffect, type SuperviseInput } from './supervise-core.ts'

const LOOK_EVERY_MS = 250
const LOOK_WITHIN_MS = 2_000
const STATUS_BYTES_MAX = 256 * 1_024

export type HermesProcessParts = {
  /** The program; tests bring another one. */
  program: string
  folder: string
  port: number
  environment: NodeJS.ProcessEnv
  clock: Clock
  onSay(what: Said): void
}

export class HermesProcess {
  readonly #parts: HermesProcessParts
  readonly #log: { write(chunk: Buffer | string): void }
  readonly #pidFile: string
  readonly #onExit = (): void => { if (this.#child) killGroup(this.#child, 'SIGKILL') }
  #state = SUPERVISED
  #child: ChildProcess | null = null
  #below: readonly Born[] = []
  #timer: TimerHandle | null = null
  #onEnded: (() => void)[] = []

  constructor(parts: HermesProcessParts) {
    this.#parts = parts
    makePrivateFolder(parts.folder)
    this.#log = createRotatingLog(join(parts.folder, 'hermes.log'))
    this.#pidFile = join(parts.folder, 'hermes.pid')
    process.on('exit', this.#onExit) // Whatever ends the relay, the process that it started must not stay.
  }

  get phase(): Phase { return this.#state.phase }

  start(): void {
    if (this.#state.phase === 'off') endLeftBehind(this.#pidFile, this.#parts.program)
    this.#step({ kind: 'wanted' })
  }

  /** Resolves when it is gone. */
  stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#onEnded.push(resolve))
    this.#step({ kind: 'unwanted' })
    return ended.finally(() => process.off('exit', this.#onExit))
  }

  #step(input: SuperviseInput): void {
    const [state, ...effects] = stepSupervised(this.#state, input)
    this.#state = state
    for (const effect of effects) this.#carryOut(effect)
  }

  #carryOut(effect: SuperviseEffect): void {
    const { clock, onSay } = this.#parts
    if (effect.kind === 'spawn') return this.#spawn()
    if (effect.kind === 'terminate' || effect.kind === 'kill') {
      if (this.#child?.pid === undefined) return
      this.#below = descendantsOf(this.#child.pid) // While they still have a parent to be known by.
      killGroup(this.#child, effect.kind === 'kill' ? 'SIGKILL' : 'SIGTERM')
      return
    }
    if (effect.kind === 'say') {
      this.#log.write(`-- ${effect.what} at ${new Date(clock.now()).toISOString()}\n`)
      if (effect.what === 'ended') for (const resolve of this.#onEnded.splice(0)) resolve()
      return onSay(effect.what)
    }
    if (this.#timer) clock.clearTimer(this.#timer)
    this.#timer = effect.kind === 'timer' ? clock.setTimer(() => this.#step({ kind: 'timer' }), effect.delayMs) : null
  }

  #spawn(): void {
    const { program, port, environment, folder, clock } = this.#parts
    const child = spawn(program, ['dashboard', '--host', '127.0.0.1', '--port', String(port), '--no-open', '--skip-build'], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' })
    this.#child = child
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => this.#log.write(chunk))
    if (child.pid !== undefined) writeFileSync(this.#pidFile, String(child.pid), { mode: 0o600 })
    let isGone = false
    const gone = (): void => {
      if (isGone) return
      isGone = true
      killGroup(child, 'SIGKILL') // What the dead one leaves behind would hold its port and its files.
      endThose(this.#below)
      this.#below = []
      rmSync(this.#pidFile, { force: true })
      this.#child = null
      this.#step({ kind: 'exited', nowMs: clock.now() })
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      this.#log.write(`-- could not be started: ${error.code ?? error.name}\n`)
      gone()
    })
    child.on('exit', gone)
    void this.#untilItAnswers(child)
  }

  async #untilItAnswers(child: ChildProcess): Promise<void> {
    const { clock, port } = this.#parts
    const send = createSendHttp(`http://127.0.0.1:${port}`)
    while (this.#child === child && this.#state.phase === 'starting') {
      const answer = await send({ method: 'GET', path: '/api/status', timeoutMs: LOOK_WITHIN_MS, bytesMax: STATUS_BYTES_MAX })
      if (this.#child !== child) return
      if (answer.kind === 'answer' && answer.status === 200 && parseStatus(answer.body)) return this.#step({ kind: 'answered' })
      await new Promise<void>((resolve) => void clock.setTimer(resolve, LOOK_EVERY_MS))
    }
  }
}

/** A relay that was killed could not end its Hermes: the next one does, after looking that the pid is no other program by now. */
export function endLeftBehind(pidFile: string, program: string): boolean {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8'))
    if (!Number.isInteger(pid) || pid <= 1) return false
    const command = execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8', timeout: LOOK_WITHIN_MS })
    if (!command.includes(program)) return false
    killGroup({ pid }, 'SIGKILL') // Nobody waits for its goodbye; SQLite and the sessions of Hermes survive a kill.
    return true
  } catch {
    return false // No file, no `ps`, no such process.
  } finally {
    rmSync(pidFile, { force: true })
  }
}

export const freePort = (): Promise<number> => new Promise((resolve, reject) => {
  const server = createServer().once('error', reject)
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address() as { port: number }
    server.close(() => resolve(port))
  })
})
