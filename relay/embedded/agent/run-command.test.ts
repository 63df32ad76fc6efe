import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '#relay/clock/clock.ts'
import { BoundedOutput, COMMAND_MS_MAX, OUTPUT_CHARS_MAX, runCommand } from './run-command.ts'

vi.setConfig({ testTimeout: 20_000 }) // Real processes and lines on a busy machine; nothing here waits for a time.

let folder = ''
beforeAll(() => { folder = realpathSync(mkdtempSync(join(tmpdir(), 'relay-command-'))) })
afterAll(() => rmSync(folder, { recursive: true }))

const run = (command: string, more: { signal?: AbortSignal; limitMs?: number; environment?: NodeJS.ProcessEnv } = {}) =>
  runCommand(command, more.signal ?? new AbortController().signal, { folder, clock: systemClock, environment: more.environment ?? { PATH: process.env['PATH'] }, ...(more.limitMs ? { limitMs: more.limitMs } : {}) })
/** A dead process that its new parent has not buried yet is dead. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^\s*Z/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }))
  } catch {
    return false
  }
}
const gone = async (pid: number): Promise<boolean> => {
  for (let tries = 0; tries < 100 && isAlive(pid); tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  return !isAlive(pid)
}
const pidIn = async (file: string): Promise<number> => {
  for (let tries = 0; tries < 200; tries++) {
    try {
      const pid = Number(readFileSync(join(folder, file), 'utf8'))
      if (pid > 0) return pid
    } catch {
      // Not written yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('no pid')
}

test('output of both kinds, the code, the folder', async () => {
  expect(await run('pwd; echo err >&2; exit 3')).toMatchObject({ output: `${folder}\nerr\n`, exitCode: 3, ended: 'itself' })
})

test('nothing of the relay is in its environment, and it cannot wait for input', async () => {
  const environment = { PATH: process.env['PATH'], HOME: '/home/x', HERMES_RELAY_API_KEY: 'KEY', OPENAI_API_KEY: 'KEY', NODE_OPTIONS: 'KEY', HERMES_RELAY_DATA_DIR: 'KEY' }
  const { output } = await run('cat; env', { environment })
  expect(output).toContain('HOME=/home/x')
  expect(output).not.toContain('KEY')
})

test('too long: the whole group ends', async () => {
  const ended = await run('sleep 600 & echo $! > slow-child; wait', { limitMs: 200 })
  expect(ended).toMatchObject({ exitCode: 124, ended: 'timeout' })
  expect(await gone(await pidIn('slow-child'))).toBe(true)
  expect(COMMAND_MS_MAX).toBe(120_000)
})

test('stopped: a command that ignores signals ends, and its children', async () => {
  const controller = new AbortController()
  const running = run("trap '' TERM INT HUP; (trap '' TERM; sleep 600) & echo $! > child; wait", { signal: controller.signal })
  const pid = await pidIn('child')
  expect(isAlive(pid)).toBe(true)
  controller.abort()
  expect(await running).toMatchObject({ exitCode: 130, ended: 'stopped' })
  expect(await gone(pid)).toBe(true)
  expect(await run('echo x', { signal: controller.signal })).toMatchObject({ output: '', ended: 'stopped' })
})

test('what a command leaves in the background ends with it', async () => {
  expect(await run('sleep 600 & echo $! > left; echo done')).toMatchObject({ output: 'done\n', exitCode: 0, ended: 'itself' })
  expect(await gone(await pidIn('left'))).toBe(true)
})

test('output without end is cut in the middle', async () => {
  const { output } = await run(`head -c ${OUTPUT_CHARS_MAX * 20} /dev/zero | tr '\\0' 'x'; echo END`)
  expect(output.length).toBeLessThan(OUTPUT_CHARS_MAX + 100)
  expect(output).toMatch(/^x+\n\n\[\.\.\. 570004 characters left out \.\.\.\]\n\nx+END\n$/)
  const whole = new BoundedOutput(10)
  for (const char of '0123456789') whole.add(char)
  expect(whole.text()).toBe('0123456789')
  whole.add('A')
  expect(whole.text()).toBe('01234\n\n[... 1 characters left out ...]\n\n6789A')
})

test('a folder that is gone is an end in words', async () => {
  expect(await runCommand('true', new AbortController().signal, { folder: join(folder, 'none'), clock: systemClock, environment: {} })).toMatchObject({ exitCode: 127, output: expect.stringContaining('ENOENT') })
})
