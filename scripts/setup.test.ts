/** Two processes that make a clone ready at once: one npm at a time, the second looks again, the dead are followed, waiting ends. Real processes, a stand-in for npm. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

vi.setConfig({ testTimeout: 30_000 }) // Real processes on a busy machine; nothing here waits for a time.

const SETUP = new URL('./setup.mjs', import.meta.url).href
/** Says when it begins and ends, takes as long as `go` is missing, and leaves what npm leaves. */
const NPM = `
import { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
appendFileSync('log', 'begin ' + process.pid + '\\n')
rmSync('node_modules', { recursive: true, force: true })
while (!existsSync('go')) if (!existsSync('npm.mjs')) process.exit(1) // The test is over.
  else await new Promise((resolve) => setTimeout(resolve, 10))
if (existsSync('broken')) process.exit(1)
mkdirSync('node_modules/ws', { recursive: true })
writeFileSync('node_modules/ws/package.json', '{}')
writeFileSync('node_modules/.package-lock.json', '{}')
appendFileSync('log', 'end\\n')
`
let root = ''
const children: ChildProcess[] = []
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'relay-setup-'))
  for (const [name, text] of [['package.json', '{}'], ['package-lock.json', '{}'], ['npm.mjs', NPM]] as const) writeFileSync(join(root, name), text)
})
afterEach(() => {
  for (const child of children.splice(0)) if (child.exitCode === null) child.kill('SIGKILL')
  rmSync(root, { recursive: true })
})

function setup(waitMs = 20_000) {
  const options = { root, npm: [process.execPath, join(root, 'npm.mjs')], waitMs }
  const child = spawn(process.execPath, ['--input-type=module', '-e', `import { installWhatIsMissing } from '${SETUP}'; await installWhatIsMissing(${JSON.stringify(options)})`], { stdio: ['ignore', 'ignore', 'pipe'] })
  children.push(child)
  const said = { text: '' }
  child.stderr.on('data', (chunk) => { said.text += chunk })
  return { child, said, done: new Promise<number | null>((resolve) => child.on('close', resolve)) }
}
const log = (): string => (existsSync(join(root, 'log')) ? readFileSync(join(root, 'log'), 'utf8') : '')
const begun = (): number => log().split('begin').length - 1
const npmPids = (): number[] => [...log().matchAll(/begin (\d+)/g)].map(([, pid]) => Number(pid))
const go = (): void => writeFileSync(join(root, 'go'), '')
const lockNames = (): string[] => readdirSync(join(root, '.cache')).filter((name) => name.startsWith('installing.lock'))
async function until(isSo: () => boolean): Promise<void> {
  for (let n = 0; n < 1_000 && !isSo(); n += 1) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(isSo()).toBe(true)
}

test('the second waits for the first, says so, and finds the work done', async () => {
  const [one, other] = [setup(), setup()]
  await until(() => begun() > 0 && /Process \d+ is installing dependencies; waiting for it/.test(one.said.text + other.said.text))
  await new Promise((resolve) => setTimeout(resolve, 300)) // Time for a second npm, were there one.
  expect(begun()).toBe(1)
  go()
  expect(await Promise.all([one.done, other.done])).toEqual([0, 0])
  expect(log()).toMatch(/^begin \d+\nend\n$/)
  expect(lockNames()).toEqual([])
  expect(await setup().done).toBe(0)
  expect(begun()).toBe(1)
})
test('the lock of a dead process is taken over by one, and half an installation does not count', async () => {
  const dead = setup()
  await until(() => begun() === 1)
  dead.child.kill('SIGKILL')
  for (const pid of npmPids()) process.kill(pid, 'SIGKILL')
  await dead.done
  const heirs = [setup(), setup(), setup()]
  await until(() => begun() === 2)
  go()
  expect(await Promise.all(heirs.map(({ done }) => done))).toEqual([0, 0, 0])
  expect(log()).toMatch(/^begin \d+\nbegin \d+\nend\n$/)
  expect(heirs.filter(({ said }) => said.text.includes(`Process ${dead.child.pid} ended while it was installing`))).toHaveLength(1)
  expect(lockNames()).toEqual([])
})
test('a dead holder that nobody buried is dead', async () => {
  if (!existsSync('/proc/self/status')) return // Only there it can be told.
  const keeper = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 30'], { stdio: ['ignore', 'pipe', 'ignore'] }) // What sh becomes knows nothing of its child.
  children.push(keeper)
  const pid = await new Promise<number>((resolve) => keeper.stdout.once('data', (data) => resolve(Number(data))))
  await until(() => /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8')))
  const lock = join(root, '.cache', 'installing.lock')
  mkdirSync(lock, { recursive: true })
  writeFileSync(join(lock, 'pid'), String(pid))
  writeFileSync(join(lock, 'id'), 'an-id')
  go()
  const heir = setup()
  expect(await heir.done).toBe(0)
  expect(heir.said.text).toContain(`Process ${pid} ended while it was installing`)
})
test('npm that outlived the one that began it is waited for, and its work counts', async () => {
  const dead = setup()
  await until(() => begun() === 1 && existsSync(join(root, '.cache', 'installing.lock', 'child')))
  dead.child.kill('SIGKILL')
  const heir = setup()
  await until(() => heir.said.text.includes('waiting for it'))
  await new Promise((resolve) => setTimeout(resolve, 300))
  expect(begun()).toBe(1)
  go()
  expect(await heir.done).toBe(0)
  expect(log()).toMatch(/^begin \d+\nend\n$/)
})
test('waiting ends at its bound, with who holds it and what to do', async () => {
  const first = setup()
  await until(() => begun() === 1)
  const second = setup(300)
  expect(await second.done).toBe(1)
  expect(second.said.text).toContain(`Process ${first.child.pid} is still installing dependencies after 0 s. Let it finish, or end it and delete ${join(root, '.cache', 'installing.lock')}; then try again.`)
  expect(begun()).toBe(1)
  go()
  expect(await first.done).toBe(0)
})
test('an npm that fails is said, and leaves no lock', async () => {
  writeFileSync(join(root, 'broken'), '')
  go()
  const one = setup()
  expect(await one.done).toBe(1)
  expect(one.said.text).toContain('could not be installed')
  expect(lockNames()).toEqual([])
})
