/** Looking after a process that behaves like a dashboard: it comes up, dies, comes back, is deaf, is left behind. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, expect, test } from 'vitest'
import { type Clock, systemClock } from '#relay/clock/clock.ts'
import { endLeftBehind, freePort, HermesProcess } from './hermes-process.ts'
import { KILL_AFTER_MS } from './supervise-core.ts'

const root = mkdtempSync(join(tmpdir(), 'relay-hermes-process-'))
const program = join(root, 'hermes')
writeFileSync(join(root, 'fake.mjs'), `
import { createServer } from 'node:http'
const port = Number(process.argv[process.argv.indexOf('--port') + 1])
if (process.env.FAKE === 'deaf') process.on('SIGTERM', () => console.log('I do not hear'))
if (process.env.FAKE === 'dies') process.exit(3)
createServer((request, response) => response.end(JSON.stringify({ version: '0.19.0', auth_required: false }))).listen(port, '127.0.0.1', () => console.log('up', process.pid))
`)
writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${join(root, 'fake.mjs')}" "$@" ${program}\n`)
chmodSync(program, 0o755)
const open: HermesProcess[] = []
afterEach(async () => { await Promise.all(open.splice(0).map((one) => one.stop())) })
afterAll(() => rmSync(root, { recursive: true }))

/** Real time, but nobody waits for long pauses. */
const hasty: Clock = { ...systemClock, setTimer: (run, delayMs) => systemClock.setTimer(run, Math.min(delayMs, delayMs === KILL_AFTER_MS ? 300 : delayMs > 60_000 ? delayMs : 100)) }

async function begin(fake = 'well') {
  const folder = mkdtempSync(join(root, 'data-'))
  const said: string[] = []
  const port = await freePort()
  const hermes = new HermesProcess({ program, folder, port, environment: { ...process.env, FAKE: fake }, clock: hasty, onSay: (what) => said.push(what) })
  open.push(hermes)
  hermes.start()
  return { hermes, folder, said, port, pid: () => Number(readFileSync(join(folder, 'hermes.pid'), 'utf8')) }
}

test('comes up, is killed and comes back on its port, ends when asked, and leaves nothing behind', async () => {
  const { hermes, folder, said, port, pid } = await begin()
  await expect.poll(() => hermes.phase, { timeout: 10_000 }).toBe('running')
  const first = pid()
  process.kill(first, 'SIGKILL')
  await expect.poll(() => said, { timeout: 10_000 }).toEqual(['running', 'restarting', 'running'])
  expect(pid()).not.toBe(first)
  await hermes.stop()
  expect([hermes.phase, said.at(-1), existsSync(join(folder, 'hermes.pid'))]).toEqual(['off', 'ended', false])
  await expect(fetch(`http://127.0.0.1:${port}/api/status`)).rejects.toThrow()
  expect(readFileSync(join(folder, 'hermes.log'), 'utf8')).toMatch(/up \d+\n-- running at/)
}, 30_000)
test('one that does not hear is killed', async () => {
  const { hermes, folder } = await begin('deaf')
  await expect.poll(() => hermes.phase, { timeout: 10_000 }).toBe('running')
  await hermes.stop()
  expect(hermes.phase).toBe('off')
  expect(readFileSync(join(folder, 'hermes.log'), 'utf8')).toContain('I do not hear')
}, 30_000)
test('one that dies at once, or is no program at all, is given up; wanted again, it is tried again', async () => {
  const { hermes, said } = await begin('dies')
  await expect.poll(() => said.at(-1), { timeout: 20_000 }).toBe('gave_up')
  hermes.start()
  expect(hermes.phase).toBe('starting')
  const none = new HermesProcess({ program: join(root, 'nothing'), folder: mkdtempSync(join(root, 'data-')), port: 1, environment: {}, clock: hasty, onSay: (what) => said.push(what) })
  open.push(none)
  none.start()
  await expect.poll(() => none.phase, { timeout: 10_000 }).toBe('gave_up')
}, 40_000)
test('what a killed relay left behind is ended, another program with its number is not', async () => {
  const file = join(root, 'left.pid')
  const other = spawn('sleep', ['60'], { detached: true, stdio: 'ignore' })
  await once(other, 'spawn')
  writeFileSync(file, String(other.pid))
  expect([endLeftBehind(file, program), existsSync(file), other.exitCode]).toEqual([false, false, null])
  other.kill('SIGKILL')
  const left = spawn(program, ['dashboard', '--port', String(await freePort())], { detached: true, stdio: 'ignore' })
  await once(left, 'spawn')
  writeFileSync(file, String(left.pid))
  const ended = once(left, 'exit')
  expect(endLeftBehind(file, program)).toBe(true)
  expect((await ended)[1]).toBe('SIGKILL')
  writeFileSync(file, 'nonsense')
  expect(endLeftBehind(file, program)).toBe(false)
}, 30_000)
