/** An agent in one command: from an empty folder to a chat with a real Hermes that the relay installed, looks after, and takes along when it ends. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { AgentState } from '#protocol/agent/agent-state.ts'
import { parseMessagePage, rowText } from '#protocol/dashboard/message-row.ts'
import { parseSessionList } from '#protocol/dashboard/session-row.ts'
import { bundleRelay } from '../../scripts/build.mjs'
import { connect, type ReadyLine } from '../load/relay-process.ts'
import { until } from './until.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const bundle = join(root, '.cache', `contract-managed-${process.pid}`)
const dataDir = mkdtempSync(join(tmpdir(), 'contract-managed-'))
const children: ChildProcess[] = []
const KEY = 'sk-canary-of-the-managed-test'
/** From an index far away it takes minutes. */
const INSTALL_WITHIN_MS = 500_000

beforeAll(() => bundleRelay(bundle))
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  for (const pid of processes()) process.kill(pid, 'SIGKILL') // Only those of this test's own folder.
  for (const folder of [bundle, dataDir]) rmSync(folder, { recursive: true, force: true })
})

/** Every process that runs out of this test's data folder. */
const processes = (): number[] => execFileSync('ps', ['-eo', 'pid=,command='], { encoding: 'utf8' }).split('\n').filter((line) => line.includes(join(dataDir, 'hermes')) && !line.includes(' ps ')).map((line) => Number(line.trim().split(' ')[0]))
const hermesPid = (): number => Number(readFileSync(join(dataDir, 'hermes', 'hermes.pid'), 'utf8'))

async function startLine<Line>(argv: string[], environment: NodeJS.ProcessEnv = {}): Promise<{ line: Line; child: ChildProcess }> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HERMES_') && !name.startsWith('OPENAI_') && name !== 'NODE_OPTIONS'))
  const child = spawn(process.execPath, argv, { env: { ...inherited, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  children.push(child)
  let errors = ''
  child.stderr.on('data', (data: Buffer) => { errors = `${errors}${data.toString()}`.slice(-4_000) })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const line = await until('the ready line', () => {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${errors}`)
    return lines[0]
  })
  return { line: JSON.parse(line) as Line, child }
}

const call = async (ready: ReadyLine, token: string, path: string, init: RequestInit = {}) => fetch(`${ready.url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' } })
async function agent(ready: ReadyLine, token: string): Promise<AgentState | null> {
  const answer = await call(ready, token, '/relay/agent').catch(() => null) // The port is away for a moment while the relay changes over.
  return answer?.ok ? AgentState.parse(await answer.json()) : null
}

/** One message in a new conversation; answers what is stored of it. */
async function chat(ready: ReadyLine, token: string, text: string): Promise<string[]> {
  const client = await connect(ready, { session_token: token })
  const session = `draft:${Math.random().toString(36).slice(2).padEnd(12, '0')}`
  client.say('live', 'live.attach', { session })
  client.say('live', 'live.submit', { session, client_msg_id: `message-${Math.random().toString(36).slice(2)}`, text })
  await client.until(({ type, payload }) => type !== 'live.accepted' && JSON.stringify(payload).includes('"kind":"ended"'), 60_000)
  client.close()
  const [newest] = parseSessionList(await (await call(ready, token, '/dashboard/api/sessions?limit=1&order=recent')).json())
  const rows = parseMessagePage(await (await call(ready, token, `/dashboard/api/sessions/${newest?.sessionId}/messages?limit=20`)).json())?.rows ?? []
  return rows.map((row) => `${row.role}: ${rowText(row)}`)
}

test('from nothing to a chat; a killed Hermes comes back; nothing of it stays when the relay ends', { timeout: INSTALL_WITHIN_MS + 120_000 }, async () => {
  const stub = await startLine<{ baseUrl: string }>([join(root, 'tests', 'contract', 'upstream-hermes', 'stub-model.mjs'), '--port', '0'])
  const relay = await startLine<ReadyLine>([join(bundle, 'main.js'), '--hermes', 'managed', '--provider', stub.line.baseUrl, '--model', 'stub-echo', '--json', '--port', '0', '--data-dir', dataDir], { HERMES_RELAY_PROVIDER_KEY: KEY })
  const ready = relay.line
  expect(ready.hermes.kind).toBe('embedded') // The demo answers meanwhile.
  const first = await connect(ready, { pairing_code: ready.claimCode })
  const phases = new Set<string>()
  let [done, back] = [0, 0]
  const installed = await until('Hermes to be installed', async () => {
    const state = await agent(ready, first.token)
    const progress = state?.managed.progress
    if (progress?.phase === 'failed') throw new Error(progress.line)
    if (progress) phases.add(progress.phase)
    if (progress && progress.done < done) back += 1
    done = progress?.done ?? done
    return state?.choice.kind === 'managed' && state.managed.running ? state : null
  }, INSTALL_WITHIN_MS)
  first.close()
  expect([...phases]).toEqual(expect.arrayContaining(['download', 'install', 'ready']))
  expect(back).toBe(0) // A bar that runs backwards is no progress.
  expect(installed).toMatchObject({ can_change: false, decided_by: 'setting', switching: false, failed: null, managed: { installed: true, wanted: true }, python: { ok: true } })

  expect(await (await fetch(`${ready.url}/relay/health`)).json()).toMatchObject({ hermes: { kind: 'dashboard', ready: true, version: '0.19.0' } })
  expect(await chat(ready, first.token, 'say: hello')).toEqual(['user: say: hello', 'assistant: hello'])
  expect(statSync(join(dataDir, 'hermes', 'home', 'config.yaml')).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(dataDir, 'hermes', 'home', 'config.yaml'), 'utf8')).not.toContain(KEY)
  expect((await call(ready, first.token, '/relay/agent', { method: 'POST', body: JSON.stringify({ kind: 'demo' }) })).status).toBe(409)

  const killed = hermesPid()
  process.kill(killed, 'SIGKILL')
  await until('another Hermes in its place', async () => existsSync(join(dataDir, 'hermes', 'hermes.pid')) && hermesPid() !== killed && (await agent(ready, first.token))?.managed.running)
  expect(await chat(ready, first.token, 'say: back again')).toEqual(['user: say: back again', 'assistant: back again'])

  relay.child.kill('SIGTERM')
  await until('the relay to end', () => relay.child.exitCode !== null, 12_000)
  expect(relay.child.exitCode).toBe(0)
  expect(processes()).toEqual([])
})
