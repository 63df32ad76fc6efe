/** Puts the pinned Hermes into a virtual environment. What was broken off is begun anew: the marker is written last. */
import { type ChildProcess, spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makePrivateFile, makePrivateFolder } from '#relay/store/private-files.ts'
import type { FoundPython } from './find-python.ts'
import { failureLine, type InstallProgress, STEPS_AFTER_DOWNLOAD, stepProgress } from './pip-progress.ts'

export const HERMES_VERSION = '0.19.0'
/** "web" is the dashboard; "sms" is the smallest extra that brings what its API server needs. */
const WANTED = `hermes-agent[web,sms]==${HERMES_VERSION}`
const CONSTRAINTS = fileURLToPath(new URL(`./constraints-${HERMES_VERSION}.txt`, import.meta.url))
const MARKER = '.hermes-install'
/** A slow line needs minutes; more than this is a line that hangs. In ms. */
export const INSTALL_WITHIN_MS = 1_200_000
/** Lines kept to say why it failed. */
export const LINES_MAX = 200

export type InstallPaths = { folder: string; venv: string; log: string; hermes: string }
export function installPaths(dataDir: string): InstallPaths {
  const folder = join(dataDir, 'hermes')
  const venv = join(folder, 'venv')
  return { folder, venv, log: join(folder, 'install.log'), hermes: join(venv, process.platform === 'win32' ? 'Scripts/hermes.exe' : 'bin/hermes') }
}

export function isInstalled({ venv, hermes }: InstallPaths): boolean {
  try {
    return existsSync(hermes) && readFileSync(join(venv, MARKER), 'utf8') === WANTED
  } catch {
    return false
  }
}

export type Installed = { ok: true } | { ok: false; say: string }
export type InstallParts = { paths: InstallPaths; python: FoundPython; environment: NodeJS.ProcessEnv; signal: AbortSignal; onProgress(progress: InstallProgress): void; withinMs?: number }

/** Never throws: a failure is a sentence. `signal` ends it. */
export async function installHermes({ paths, python, environment, signal, onProgress, withinMs = INSTALL_WITHIN_MS }: InstallParts): Promise<Installed> {
  if (!python.ok) return { ok: false, say: python.say }
  const pinned = readFileSync(CONSTRAINTS, 'utf8').split('\n').filter((line) => /^[\w.-]+==/.test(line)).length
  let progress: InstallProgress = { phase: 'venv', done: 0, total: pinned + STEPS_AFTER_DOWNLOAD, line: `Making a place for it, with Python ${python.version}` }
  onProgress(progress)
  makePrivateFolder(paths.folder)
  rmSync(paths.venv, { recursive: true, force: true })
  rmSync(paths.log, { force: true })
  makePrivateFile(paths.log)
  const lines: string[] = []
  const onLine = (line: string): void => {
    appendFileSync(paths.log, `${line}\n`)
    lines.push(line)
    if (lines.length > LINES_MAX) lines.shift()
    const next = stepProgress(progress, line, pinned)
    if (next === progress) return
    progress = next
    onProgress(progress)
  }
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(withinMs)])
  const inVenv = join(paths.venv, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
  const steps: [string, string[]][] = [
    [python.path, ['-m', 'venv', paths.venv]],
    [inVenv, ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--progress-bar', 'off', '--constraint', CONSTRAINTS, WANTED]],
    [inVenv, ['-c', `import importlib.metadata as m; assert m.version('hermes-agent') == '${HERMES_VERSION}'`]],
  ]
  for (const [program, argv] of steps) {
    if (await run(program, argv, environment, bounded, onLine) === 0) continue
    if (signal.aborted) return { ok: false, say: 'The installation was stopped.' }
    if (bounded.aborted) return { ok: false, say: `The installation took longer than ${Math.round(withinMs / 60_000)} minutes.` }
    return { ok: false, say: `The installation failed: ${failureLine(lines)}` }
  }
  writeFileSync(join(paths.venv, MARKER), WANTED, { mode: 0o600 })
  return { ok: true }
}

/** In a process group of its own, so that pip's children end with it. */
const run = (program: string, argv: readonly string[], environment: NodeJS.ProcessEnv, signal: AbortSignal, onLine: (line: string) => void): Promise<number> => new Promise((resolve) => {
  if (signal.aborted) return resolve(1)
  const child = spawn(program, argv, { env: { ...environment, PYTHONUNBUFFERED: '1', LC_ALL: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'pipe'], detached: process.platform !== 'win32' })
  const end = (): void => killGroup(child, 'SIGKILL')
  signal.addEventListener('abort', end, { once: true })
  process.once('exit', end)
  for (const stream of [child.stdout, child.stderr]) createInterface({ input: stream }).on('line', onLine)
  const done = (code: number): void => {
    signal.removeEventListener('abort', end)
    process.off('exit', end)
    resolve(code)
  }
  child.on('error', (error: NodeJS.ErrnoException) => {
    onLine(`ERROR: ${program} could not be started (${error.code ?? error.name})`)
    done(1)
  })
  child.on('close', (code) => done(code ?? 1))
})

export function killGroup({ pid }: Pick<ChildProcess, 'pid'>, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal)
  } catch {
    // Gone already.
  }
}
