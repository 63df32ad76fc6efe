/** The relay as a process, bundled as `npm start` does: the ready line, the streams, ports, signals, kill -9 and a crash. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { REFUSALS, Refused } from '#protocol/refusal/refusal.ts'
import { bundleRelay } from '../../scripts/build.mjs'
import { orSay } from './start.ts'

const root = new URL('../..', import.meta.url).pathname
const bundle = join(root, '.cache', `start-test-${process.pid}`)
const folder = mkdtempSync(join(tmpdir(), 'relay-start-'))
type Run = { child: ChildProcess; out: () => string; err: () => string; ended: Promise<number | null> }
const running = new Set<ChildProcess>()

beforeAll(() => bundleRelay(bundle), 60_000)
afterEach(() => { for (const child of running) child.kill('SIGKILL') })
afterAll(() => {
  rmSync(bundle, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

const run = (...argv: string[]): Run => runNode([join(bundle, 'main.js'), ...argv])

function runNode(argv: readonly string[]): Run {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('HERMES_RELAY_') && name !== 'NODE_OPTIONS'))
  const child = spawn(process.execPath, argv, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  let [out, err] = ['', '']
  child.stdout?.on('data', (chunk) => { out += chunk })
  child.stderr?.on('data', (chunk) => { err += chunk })
  running.add(child)
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child)
    return code as number | null
  })
  return { child, ended, out: () => out, err: () => err }
}
async function until<Value>(read: () => Value | false | null | undefined | ''): Promise<Value> {
  for (let n = 0; n < 1_000; n++) {
    const value = read()
    if (value) return value
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it never happened')
}
const ready = async (relay: Run) => JSON.parse(await until(() => relay.out().includes('\n') && relay.out())) as { url: string; claimCode: string; claimUrl: string; port: number; pid: number }
const fresh = (name: string) => ['--data-dir', join(folder, name), '--hermes', 'embedded']

test('--json: one line on stdout, nothing human, no code on stderr; SIGTERM ends it in time', { timeout: 20_000 }, async () => {
  const relay = run(...fresh('json'), '--json', '--port', '0', '--log-level', 'debug')
  const line = await ready(relay)
  expect(Object.keys(line)).toEqual(['url', 'appUrl', 'claimUrl', 'claimCode', 'port', 'pid', 'hermes'])
  expect(line.pid).toBe(relay.child.pid)
  expect(line.claimUrl).toBe(`${line.url}/app/#claim=${line.claimCode}`)
  expect(await (await fetch(`${line.url}/relay/health`)).json()).toMatchObject({ status: 'ok', hermes: { kind: 'embedded', ready: true } })
  const startedAt = performance.now()
  relay.child.kill('SIGTERM')
  expect(await relay.ended).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
  expect(relay.out().trim().split('\n')).toHaveLength(1)
  expect(relay.err()).toContain('Hermes Relay ends.')
  expect(relay.err()).not.toContain(line.claimCode)
})

test('the port is remembered; a second start names the first; another program on it is a refusal; kill -9 leaves nothing behind', { timeout: 30_000 }, async () => {
  const first = run(...fresh('port'), '--json', '--port', '0')
  const { port } = await ready(first)
  const second = run(...fresh('port'))
  expect(await second.ended).toBe(0)
  expect(second.out()).toBe(`Hermes Relay already runs: http://localhost:${port}/app/\n`)
  const other = run(...fresh('other'), '--port', String(port), '--json')
  expect(await other.ended).toBe(0)
  expect(JSON.parse(other.out())).toMatchObject({ port, claimCode: null })
  first.child.kill('SIGKILL')
  await first.ended
  const third = run(...fresh('port'), '--json')
  expect((await ready(third)).port).toBe(port)
  third.child.kill('SIGINT')
  expect(await third.ended).toBe(0)
  const { createServer } = await import('node:net')
  const squatter = createServer((socket) => socket.destroy()).listen(port, '127.0.0.1')
  await once(squatter, 'listening')
  const refused = run(...fresh('port'))
  expect(await refused.ended).toBe(1)
  expect(refused.err()).toContain('--port')
  squatter.close()
})

test('people get the link on stdout; a wrong setting is exit code 2 and one sentence', { timeout: 20_000 }, async () => {
  const relay = run(...fresh('human'), '--port', '0')
  await until(() => relay.out().includes('#claim='))
  expect(relay.out()).toMatch(/http:\/\/localhost:\d+\/app\/#claim=[A-Z0-9]{6}\n/)
  expect(relay.out()).toContain('Who controls whom')
  relay.child.kill('SIGINT')
  expect(await relay.ended).toBe(0)
  const wrong = run('--port', 'http')
  expect(await wrong.ended).toBe(2)
  expect([wrong.out(), wrong.err().trim().split('\n').length]).toEqual(['', 1])
})

test('Enter on a full disk is answered with the refusal sentence; nothing is thrown', async () => {
  const said: string[] = []
  await orSay(async () => { throw new Refused('store_full') }, (text) => said.push(text))
  await orSay(async () => { throw new Error('canary') }, (text) => said.push(text))
  expect(said[0]).toBe(`${REFUSALS.store_full.say} ${REFUSALS.store_full.next}\n`)
  expect(said[1]).toMatch(/^The relay made a mistake: (?!.*canary)/)
})

test('canary: a crash of ours ends with 1 and one line; token, code and prompt are not in it', { timeout: 20_000 }, async () => {
  const token = 'cAnArY0token0cAnArY0token0cAnArY0token0abcd'
  for (const crash of [`throw new Error('Bearer ${token} canary prompt')`, `JSON.parse('{canary prompt')`, `Promise.reject(new Error('token=${token} canary prompt'))`]) {
    writeFileSync(join(folder, 'crash.mjs'), `setTimeout(() => { ${crash} }, 1200)`)
    const relay = runNode(['--import', join(folder, 'crash.mjs'), join(bundle, 'main.js'), ...fresh('crash'), '--port', '0', '--json', '--log-level', 'debug'])
    expect(await relay.ended).toBe(1)
    expect(relay.err()).toContain('"crash"')
    expect(relay.err()).not.toMatch(/cAnArY|canary/)
  }
})
