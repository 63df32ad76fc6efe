/**
 * One shell command of the agent: in the workspace, in a process group of its own, with an environment that holds nothing of the relay.
 * Ends in time whatever it does; what is left of its group ends with it.
 */
import { spawn } from 'node:child_process'
import type { Clock, TimerHandle } from '#relay/clock/clock.ts'

/** Longest a command may take, in ms. */
export const COMMAND_MS_MAX = 120_000
/** Of its output, so much is kept, in UTF-16 units: the beginning and the end. */
export const OUTPUT_CHARS_MAX = 30_000
/** Longest command, in UTF-16 units. */
export const COMMAND_CHARS_MAX = 16_384
/** After the shell ended, what it started may still write for this long, in ms. */
const LINGER_MS = 300
/** Names of the environment that a command gets, if the relay has them. Nothing else: no key, no data folder of ours. */
const ENVIRONMENT = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'LC_CTYPE', 'TZ', 'TMPDIR'] as const

export type CommandEnd = { output: string; exitCode: number; ended: 'itself' | 'timeout' | 'stopped'; durationMs: number }

export type CommandDeps = { folder: string; clock: Clock; environment: NodeJS.ProcessEnv; limitMs?: number }

/** Runs `sh -c command`. Total: a shell that cannot be started is an end with code 127. */
export function runCommand(command: string, signal: AbortSignal, { folder, clock, environment, limitMs = COMMAND_MS_MAX }: CommandDeps): Promise<CommandEnd> {
  const startedAtMs = clock.now()
  const output = new BoundedOutput(OUTPUT_CHARS_MAX)
  if (signal.aborted) return Promise.resolve({ output: '', exitCode: 130, ended: 'stopped', durationMs: 0 })
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { cwd: folder, env: commandEnvironment(environment), stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    let ended: CommandEnd['ended'] = 'itself'
    let exitCode: number | null = null
    let linger: TimerHandle | null = null
    let isDone = false
    const killGroup = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // Nobody of it is left.
      }
    }
    const stop = (why: CommandEnd['ended']): void => {
      if (ended === 'itself') ended = why
      killGroup()
    }
    const onAbort = (): void => stop('stopped')
    const limit = clock.setTimer(() => stop('timeout'), limitMs)
    signal.addEventListener('abort', onAbort, { once: true })
    const done = (): void => {
      if (isDone) return
      isDone = true
      clock.clearTimer(limit)
      if (linger) clock.clearTimer(linger)
      signal.removeEventListener('abort', onAbort)
      killGroup()
      child.stdout.destroy()
      child.stderr.destroy()
      resolve({ output: output.text(), exitCode: ended === 'timeout' ? 124 : ended === 'stopped' ? 130 : (exitCode ?? 137), ended, durationMs: clock.now() - startedAtMs })
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => output.add(text))
    child.once('error', (error: NodeJS.ErrnoException) => {
      output.add(`The shell could not be started (${error.code ?? 'unknown'}).`)
      exitCode = 127
      done()
    })
    // Something in the background may hold the pipes open: it gets a moment, then it ends as well.
    child.once('exit', (code) => {
      exitCode = code
      linger = clock.setTimer(done, LINGER_MS)
    })
    child.once('close', done)
  })
}

export function commandEnvironment(from: NodeJS.ProcessEnv): Record<string, string> {
  const kept = ENVIRONMENT.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]] as const]))
  return { ...Object.fromEntries(kept), TERM: 'dumb', NO_COLOR: '1', PAGER: 'cat', GIT_TERMINAL_PROMPT: '0' }
}

/** Text that arrives without end: its beginning and its end are kept, the middle is counted. */
export class BoundedOutput {
  readonly #half: number
  #head = ''
  #tail = ''
  #dropped = 0

  constructor(charsMax: number) {
    this.#half = Math.floor(charsMax / 2)
  }

  add(text: string): void {
    const room = this.#half - this.#head.length
    this.#head += text.slice(0, room)
    this.#tail += text.slice(Math.max(0, room))
    if (this.#tail.length > this.#half * 4) this.#trim()
  }

  text(): string {
    this.#trim()
    return this.#dropped === 0 ? this.#head + this.#tail : `${this.#head}\n\n[... ${this.#dropped} characters left out ...]\n\n${this.#tail}`
  }

  #trim(): void {
    const over = this.#tail.length - this.#half
    if (over <= 0) return
    this.#dropped += over
    this.#tail = this.#tail.slice(over)
  }
}
