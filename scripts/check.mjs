/** `npm run check`: types of every room, lint, the fence. Under a minute; needs nothing but the dependencies. */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { refuseOldNode } from './node-version.mjs'
import { installWhatIsMissing } from './setup.mjs'

export const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** A tsconfig per room: each is a wall (docs/architecture.md). */
const ROOMS = ['protocol', 'relay', 'web/core', 'web', 'sw', 'tests'].filter((room) => existsSync(join(root, room, 'tsconfig.json')))

/** Runs a command of node_modules/.bin; its output goes to stderr only when it failed. */
export function run(name, command, args, options = {}) {
  return new Promise((resolve) => {
    const startedMs = Date.now()
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], ...options })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => { output += chunk })
    child.on('error', (error) => { output += error.message })
    child.on('close', (code) => {
      const seconds = ((Date.now() - startedMs) / 1000).toFixed(1)
      process.stderr.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`)
      if (code !== 0) process.stderr.write(`${output}\n`)
      resolve({ name, passed: code === 0 })
    })
  })
}

const bin = (name) => join(root, 'node_modules', '.bin', name)

/** @returns one result per check */
export async function check({ withFence = true } = {}) {
  const types = ROOMS.map((room) => () => run(`types of ${room}`, bin('tsc'), ['-p', room]))
  const lint = () => run('lint', bin('biome'), ['lint', '--error-on-warnings', '.'])
  const fence = () => run('fence', bin('vitest'), ['run', '--project', 'node', 'tests/house.test.ts', 'tests/house-fence.test.ts'])
  const waiting = [...types, lint, ...(withFence ? [fence] : [])]
  const results = []
  const worker = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) results.push(await next())
  }
  await Promise.all([worker(), worker()])
  return results
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
  refuseOldNode()
  await installWhatIsMissing()
  const results = await check()
  process.exit(results.every((result) => result.passed) ? 0 : 1)
}
