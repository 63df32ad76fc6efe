/** The relay as its own process, bundled as `npm start` does, killed with -9 in mid-turn: pages over real sockets lose no word. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { parseMessagePage, rowText } from '#protocol/dashboard/message-row.ts'
import { PROTOCOL_VERSION } from '#protocol/system/system-frame.ts'
import { bundleRelay } from '../../scripts/build.mjs'
import { ContractPage, countTo, textOf, type Connect } from './contract-page.ts'
import { RealHermes } from './real-hermes.ts'
import { newDraft } from './relay-under-test.ts'
import { until } from './until.ts'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const bundle = join(root, '.cache', `contract-relay-${process.pid}`)
const dataDir = mkdtempSync(join(tmpdir(), 'contract-relay-process-'))
const children = new Set<ChildProcess>()
let hermes: RealHermes

beforeAll(async () => {
  ;[hermes] = await Promise.all([RealHermes.start(), bundleRelay(bundle)])
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await hermes?.stop()
  for (const folder of [bundle, dataDir]) rmSync(folder, { recursive: true, force: true })
})

type Ready = { url: string; claimCode: string; port: number; pid: number; hermes: { kind: string; version: string | null } }
type Running = Ready & { child: ChildProcess }

async function startRelay(port: number): Promise<Running> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HERMES_RELAY_')))
  const args = [join(bundle, 'main.js'), '--json', '--port', String(port), '--data-dir', dataDir, '--hermes', hermes.baseUrl, '--log-level', 'debug']
  const child = spawn(process.execPath, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  children.add(child)
  let errors = ''
  child.stderr.on('data', (data: Buffer) => { errors = `${errors}${data.toString()}`.slice(-4_000) })
  const lines: string[] = []
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
  const line = await until('the relay to be ready', () => {
    if (child.exitCode !== null) throw new Error(`the relay ended with ${child.exitCode}: ${errors}`)
    return lines[0]
  })
  return { ...(JSON.parse(line) as Ready), child }
}

/** A device over the real socket: claimed once by code, then known by its token. */
function device(port: number, claimCode: string, name: string): { connect: Connect; token(): string } {
  let token: string | null = null
  const connect: Connect = (events) => {
    const socket = new WebSocket(`ws://localhost:${port}/relay/ws`)
    const say = (channel: string, type: string, payload: object): void => {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ channel, type, payload }))
    }
    socket.on('error', () => {}) // `close` follows.
    socket.on('close', () => events.onDown())
    socket.on('open', () => say('system', 'auth', { ...(token ? { session_token: token } : { pairing_code: claimCode }), device_id: name, device_name: name, supports: { protocol: PROTOCOL_VERSION, live: 1 } }))
    socket.on('message', (data: Buffer) => {
      const { channel, type, payload } = JSON.parse(data.toString()) as { channel: string; type: string; payload: { session_token?: string; code?: string } }
      if (channel === 'live') return events.onFrame(type, payload)
      if (type === 'auth.fail') events.onRefused(payload.code ?? 'auth.fail')
      if (type !== 'auth.ok') return
      token = payload.session_token ?? token
      events.onUp()
    })
    return { send: (type, payload) => say('live', type, payload), close: () => socket.close() }
  }
  return { connect, token: () => token! }
}

test('kill -9 of the relay in mid-turn: the turn goes on, the page finds it again, nothing is doubled', async () => {
  const first = await startRelay(0)
  expect(first.hermes).toMatchObject({ kind: 'dashboard', version: '0.19.0' })
  const phone = device(first.port, first.claimCode, 'Phone')
  const page = new ContractPage({ session: newDraft(), connect: phone.connect })
  page.open()
  expect(textOf(await page.turnOf('say: through the whole relay'))).toBe('through the whole relay')
  page.write('count 150 40')
  await page.until('the middle of the turn', ({ turn }) => turn?.prompt === 'count 150 40' && textOf(turn).length > 12)
  process.kill(first.pid, 'SIGKILL')
  await page.until('the page to notice', () => !page.isLive)
  page.write('say: written while the relay was dead')
  expect(page.unsent).toEqual(['say: written while the relay was dead'])
  const second = await startRelay(first.port)
  expect(second.port).toBe(first.port)
  await page.until('the turn to be found again', (view) => page.isLive && view.turn?.phase === 'running' && view.turn.gap)
  await page.until('its exact text', (view) => textOf(view.turn) === countTo(150))
  expect(textOf(await page.ended('say: written while the relay was dead'))).toBe('written while the relay was dead')
  expect(page.unsent).toEqual([])
  expect(page.refusals).toEqual([])
  const answer = await fetch(`${second.url}/dashboard/api/sessions/${page.storedId}/messages?limit=100`, { headers: { authorization: `Bearer ${phone.token()}` } })
  const rows = parseMessagePage(await answer.json())!.rows
  expect(rows.map((row) => [row.role, rowText(row)])).toEqual([
    ['user', 'say: through the whole relay'], ['assistant', 'through the whole relay'], ['user', 'count 150 40'], ['assistant', countTo(150)],
    ['user', 'say: written while the relay was dead'], ['assistant', 'written while the relay was dead'],
  ])
  page.close()
})
