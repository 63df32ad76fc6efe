/** A relay of its own for one test: the built one, with the embedded demo unless `--hermes` names another, on a free port and in a folder that goes with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Ready = { url: string; appUrl: string; claimUrl: string; claimCode: string; port: number; pid: number }
export type RelayProcess = { ready: Ready; kill(signal?: NodeJS.Signals): Promise<void>; restart(): Promise<Ready>; stop(): Promise<void> }

const READY_WITHIN_MS = 20_000

/** `root`: a folder with a `dist` of its own, for a test that changes what is served (`built-copy.ts`). */
export async function startRelay(args: readonly string[] = [], root = process.cwd()): Promise<RelayProcess> {
  const dataDir = mkdtempSync(join(tmpdir(), 'hermes-relay-e2e-'))
  let child: ChildProcess
  let ready: Ready
  const launch = async (port: number): Promise<Ready> => {
    child = spawn(process.execPath, ['dist/relay/main.js', ...(args.includes('--hermes') ? [] : ['--hermes', 'embedded']), '--json', '--port', String(port), '--data-dir', dataDir, ...args], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
    return readReady(child)
  }
  const end = (signal: NodeJS.Signals): Promise<void> => new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill(signal)
  })
  ready = await launch(0)
  return {
    get ready() { return ready },
    kill: (signal = 'SIGKILL') => end(signal),
    /** On the same port: a page keeps its address. */
    async restart() {
      await end('SIGKILL')
      ready = await launch(ready.port)
      return ready
    },
    async stop() {
      await end('SIGTERM')
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

const readReady = (child: ChildProcess): Promise<Ready> => new Promise((resolve, reject) => {
  let out = ''
  let err = ''
  const timer = setTimeout(() => reject(new Error(`the relay was not ready in time: ${err}`)), READY_WITHIN_MS)
  child.stderr?.on('data', (chunk: Buffer) => { err += chunk.toString() })
  child.stdout?.on('data', (chunk: Buffer) => {
    out += chunk.toString()
    const end = out.indexOf('\n')
    if (end < 0) return
    clearTimeout(timer)
    resolve(JSON.parse(out.slice(0, end)) as Ready)
  })
  child.once('exit', (code) => { clearTimeout(timer); reject(new Error(`the relay ended with ${code}: ${err}`)) })
})
