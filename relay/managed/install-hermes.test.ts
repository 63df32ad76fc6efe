/** The installer against a Python of our own making: whole, failing, hanging, broken off. */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import type { FoundPython } from './find-python.ts'
import { installHermes, installPaths, isInstalled, LINES_MAX } from './install-hermes.ts'
import type { InstallProgress } from './pip-progress.ts'
import { createRotatingLog, LOG_BYTES_MAX } from './rotating-log.ts'

const root = mkdtempSync(join(tmpdir(), 'relay-install-'))
afterAll(() => rmSync(root, { recursive: true }))

const fake = join(root, 'python')
writeFileSync(fake, `#!/bin/sh
if [ "$2" = venv ]; then mkdir -p "$3/bin"; cp "$0" "$3/bin/python"; exit 0; fi
if [ "$2" != pip ]; then exit 0; fi
echo "Collecting hermes-agent[web]==0.19.0"
case "$FAKE_PIP" in
  fail) i=0; while [ $i -lt 300 ]; do echo "noise $i"; i=$((i+1)); done; echo "ERROR: No matching distribution found for hermes-agent" >&2; exit 1;;
  hang) sleep 60 & echo $! > "$FAKE_PIP_CHILD"; wait;;
  *) echo "Installing collected packages: a, b"; echo "Successfully installed a b"; touch "$(dirname "$0")/hermes";;
esac
`)
chmodSync(fake, 0o755)
const python: FoundPython = { ok: true, path: fake, version: '3.12', say: '' }

function install(pip: string, more: { python?: FoundPython; withinMs?: number; signal?: AbortSignal } = {}) {
  const paths = installPaths(mkdtempSync(join(root, 'data-')))
  const seen: InstallProgress[] = []
  const environment = { PATH: process.env['PATH'], FAKE_PIP: pip, FAKE_PIP_CHILD: join(root, `child-${pip}`) }
  return { paths, seen, done: installHermes({ paths, python, environment, signal: new AbortController().signal, onProgress: (progress) => seen.push(progress), ...more }) }
}
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '')
  } catch {
    return false
  }
}

test('whole: phases in order, a private log, and only then it counts as installed', async () => {
  const { paths, seen, done } = install('ok')
  expect(isInstalled(paths)).toBe(false)
  expect(await done).toEqual({ ok: true })
  expect(seen.map(({ phase }) => phase)).toEqual(['venv', 'download', 'install', 'install'])
  expect(isInstalled(paths)).toBe(true)
  expect([statSync(paths.log).mode & 0o777, statSync(paths.folder).mode & 0o777]).toEqual([0o600, 0o700])
  rmSync(join(paths.venv, '.hermes-install'))
  expect(isInstalled(paths)).toBe(false) // Broken off before its end: begun anew next time.
})
test('a failure is said in the words of pip, however much it says before', async () => {
  const { paths, done } = install('fail')
  expect(await done).toEqual({ ok: false, say: 'The installation failed: No matching distribution found for hermes-agent' })
  expect(readFileSync(paths.log, 'utf8').split('\n').length).toBeGreaterThan(LINES_MAX)
  expect(isInstalled(paths)).toBe(false)
  expect(await install('ok', { python: { ok: false, say: 'No Python was found.' } }).done).toEqual({ ok: false, say: 'No Python was found.' })
})
test('one that hangs ends in time or when the relay ends, with everything it started', async () => {
  expect(await install('hang', { withinMs: 1_500 }).done).toMatchObject({ ok: false, say: expect.stringContaining('took longer than') })
  const child = Number(readFileSync(join(root, 'child-hang'), 'utf8'))
  await expect.poll(() => isAlive(child)).toBe(false)
  const ending = new AbortController()
  const { done } = install('hang', { signal: ending.signal })
  setTimeout(() => ending.abort(), 300)
  expect(await done).toEqual({ ok: false, say: 'The installation was stopped.' })
})
test('the log never holds more than twice LOG_BYTES_MAX', () => {
  const path = join(root, 'some.log')
  const log = createRotatingLog(path)
  for (let n = 0; n < 40; n += 1) log.write('x'.repeat(LOG_BYTES_MAX / 8))
  log.write('the last words')
  expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThanOrEqual(2 * LOG_BYTES_MAX)
  expect(readFileSync(path, 'utf8')).toMatch(/the last words$/)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
