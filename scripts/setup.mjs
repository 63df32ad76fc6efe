/** Makes a fresh clone ready: installs the locked dependencies, when they are missing or the lock changed. Says what it does on stderr. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { folderHash } from './folder-hash.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const STAMP = join(root, '.cache', 'installed')

export function installWhatIsMissing() {
  const hash = folderHash(root, ['package.json', 'package-lock.json'])
  if (existsSync(STAMP) ? isInstalled() && readFileSync(STAMP, 'utf8') === hash : isInstalledByHand()) {
    writeStamp(hash)
    return false
  }
  process.stderr.write('Installing dependencies ...\n')
  // npm writes to stdout, which belongs to the relay: both of its streams go to stderr.
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' })
  if (status !== 0) {
    process.stderr.write('The dependencies could not be installed; see above. Is the network there?\n')
    process.exit(1)
  }
  writeStamp(hash)
  return true
}

const isInstalled = () => existsSync(join(root, 'node_modules', 'ws', 'package.json'))

/** Somebody ran npm before us, after the lock was last written: its work is not thrown away. */
function isInstalledByHand() {
  const record = join(root, 'node_modules', '.package-lock.json')
  return isInstalled() && existsSync(record) && statSync(record).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

function writeStamp(hash) {
  mkdirSync(dirname(STAMP), { recursive: true })
  writeFileSync(STAMP, hash)
}
