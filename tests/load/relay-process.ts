/** A relay as its own process, and a client of its socket, for benchmarks and tests from outside. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'

export type ReadyLine = { url: string; claimUrl: string; claimCode: string; port: number; pid: number; hermes: { kind: string; version: string | null } }
export type RelayProcess = { ready: ReadyLine; child: ChildProcess; stderr(): string; startedInMs: number; cpuS(): number; rssMb(): number; stop(): Promise<void> }

/** Ticks a second of /proc times; fixed on Linux. */
const TICKS = 100

export async function startRelay(args: string[], dataDir = mkdtempSync(join(tmpdir(), 'relay-bench-'))): Promise<RelayProcess> {
  const startedMs = performance.now()
  const child = spawn(process.execPath, ['dist/relay/main.js', '--json', '--port', '0', '--data-dir', dataDir, ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  let stderr = ''
  child.stderr.on('data', (chunk) => { stderr += chunk })
  const line = await new Promise<string>((resolve, reject) => {
    let out = ''
    child.stdout.on('data', (chunk) => {
      out += chunk
      if (out.includes('\n')) resolve(out)
    })
    child.on('exit', (code) => reject(new Error(`the relay ended with ${code}: ${stderr}`)))
  })
  const startedInMs = performance.now() - startedMs
  const ready = JSON.parse(line) as ReadyLine
  const stat = () => readFileSync(`/proc/${ready.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return {
    ready, child, startedInMs, stderr: () => stderr,
    cpuS: () => (Number(stat()[11]) + Number(stat()[12])) / TICKS,
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${ready.pid}/status`, 'utf8'))?.[1] ?? 0) / 1_024,
    async stop() {
      child.kill('SIGTERM')
      if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve))
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

export type Frame = { channel: string; type: string; id?: string; payload: Record<string, unknown> }
export type Client = { frames: Frame[]; token: string; say(channel: string, type: string, payload: object): void; until(what: (frame: Frame) => boolean, timeoutMs?: number): Promise<Frame>; close(): void }

/** Signs in with a code or a token. `keep`: whether frames are kept, or only seen. */
export async function connect(ready: ReadyLine, credential: { pairing_code?: string; session_token?: string }, options: { keep?: boolean; onFrame?: (frame: Frame, bytes: number) => void } = {}): Promise<Client> {
  const socket = new WebSocket(`ws://127.0.0.1:${ready.port}/relay/ws`)
  const frames: Frame[] = []
  const waiting = new Set<(frame: Frame) => void>()
  socket.on('message', (data) => {
    const text = String(data)
    const frame = JSON.parse(text) as Frame
    options.onFrame?.(frame, text.length)
    if (options.keep !== false) frames.push(frame)
    for (const one of [...waiting]) one(frame)
  })
  await new Promise((resolve, reject) => { socket.once('open', resolve).once('error', reject) })
  const say = (channel: string, type: string, payload: object) => socket.send(JSON.stringify({ channel, type, id: `${Math.random()}`, payload }))
  const until = (what: (frame: Frame) => boolean, timeoutMs = 30_000) => new Promise<Frame>((resolve, reject) => {
    const known = frames.find(what)
    if (known) return resolve(known)
    const timer = setTimeout(() => reject(new Error('the frame did not come')), timeoutMs)
    const one = (frame: Frame) => {
      if (!what(frame)) return
      clearTimeout(timer)
      waiting.delete(one)
      resolve(frame)
    }
    waiting.add(one)
  })
  const signedIn = until((frame) => frame.type === 'auth.ok' || frame.type === 'auth.fail')
  say('system', 'auth', { ...credential, device_id: `bench-${process.pid}-${Math.random()}`, device_name: 'Bench', supports: { protocol: PROTOCOL_VERSION, live: 1 } })
  const answer = await signedIn
  if (answer.type !== 'auth.ok') throw new Error(`sign-in refused: ${JSON.stringify(answer.payload)}`)
  return { frames, token: String(answer.payload['session_token']), say, until, close: () => socket.close() }
}
