/** Makes a fresh clone ready: installs the locked dependencies, when they are missing or the lock changed. Says what it does on stderr. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderHash } from './folder-hash.mjs'
import { oneAtATime, StillBusy } from './one-at-a-time.mjs'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')

/** One at a time in a tree: two of npm would empty each other's folder. Tests bring another `npm` and another root. */
export async function installWhatIsMissing({ root = ROOT, npm = ['npm'], waitMs } = {}) {
  if (isReady(root)) return
  try {
    // Looked at again inside: whoever was first did it.
    if (await oneAtATime({ lock: join(root, '.cache', 'installing.lock'), what: 'installing dependencies', waitMs }, async (nameChild) => isReady(root) || install(root, npm, nameChild))) return
    process.stderr.write('The dependencies could not be installed; see above. Is the network there?\n')
  } catch (error) {
    if (!(error instanceof StillBusy)) throw error
    process.stderr.write(`${error.message}\n`)
  }
  process.exit(1)
}

async function install(root, [command, ...before], nameChild) {
  const hash = lockHash(root)
  rmSync(stampOf(root), { force: true }) // Ended halfway it must not count as done.
  process.stderr.write('Installing dependencies ...\n')
  // npm writes to stdout, which belongs to the relay: both of its streams go to stderr.
  const child = spawn(command, [...before, 'ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (child.pid !== undefined) nameChild(child.pid)
  const code = await new Promise((resolve) => void child.on('error', () => resolve(1)).on('close', resolve))
  if (code === 0) writeStamp(root, hash)
  return code === 0
}

const stampOf = (root) => join(root, '.cache', 'installed')
const lockHash = (root) => folderHash(root, ['package.json', 'package-lock.json'])
const isInstalled = (root) => existsSync(join(root, 'node_modules', 'ws', 'package.json'))

function isReady(root) {
  const hash = lockHash(root)
  if (!(existsSync(stampOf(root)) ? isInstalled(root) && readFileSync(stampOf(root), 'utf8') === hash : isInstalledByHand(root))) return false
  writeStamp(root, hash)
  return true
}

/** Somebody ran npm before us, after the lock was last written: its work is not thrown away. */
function isInstalledByHand(root) {
  const record = join(root, 'node_modules', '.package-lock.json')
  return isInstalled(root) && existsSync(record) && statSync(record).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

function writeStamp(root, hash) {
  mkdirSync(dirname(stampOf(root)), { recursive: true })
  writeFileSync(stampOf(root), hash)
}
