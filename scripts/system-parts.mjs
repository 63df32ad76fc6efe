/** What the tests need from outside npm: a browser and a real Hermes. Installed on Debian; elsewhere one line says what to install. */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
export const HERMES_VENV = process.env.HERMES_VENV ?? join(root, '.cache', 'hermes-venv')
const CHROMIUM_PATHS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium']

export const findChromium = () => [process.env.CHROMIUM, ...CHROMIUM_PATHS].find((path) => path && existsSync(path)) ?? null

function findPython() {
  const answers = (name) => spawnSync(name, ['-c', 'import sys, venv, ensurepip; sys.exit(0 if (3,11) <= sys.version_info[:2] < (3,14) else 1)'], { stdio: 'ignore' }).status === 0
  return ['python3.11', 'python3.12', 'python3.13', 'python3'].find(answers) ?? null
}

const canApt = () => process.platform === 'linux' && spawnSync('apt-get', ['--version'], { stdio: 'ignore' }).status === 0 && process.getuid?.() === 0

function apt(args) {
  return new Promise((resolve) => {
    const child = spawn('apt-get', args, { stdio: ['ignore', 2, 2], env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
    child.on('error', () => resolve(false))
    child.on('close', (code) => resolve(code === 0))
  })
}

/** Debian packages for what is missing. Throws one sentence when that cannot be done here. */
export async function installPackages() {
  const wanted = [
    ...(findChromium() ? [] : [{ packages: ['chromium'], what: 'a Chromium (or set CHROMIUM to its path)' }]),
    ...(findPython() ? [] : [{ packages: ['python3', 'python3-venv'], what: 'Python 3.11, 3.12 or 3.13 with venv' }]),
  ]
  if (wanted.length === 0) return
  const what = wanted.map((part) => part.what).join(' and ')
  if (!canApt()) throw new Error(`The tests need ${what}; please install it.`)
  process.stderr.write(`Installing ${what} ...\n`)
  await apt(['update', '-qq'])
  if (!(await apt(['install', '-y', '-qq', '--no-install-recommends', ...wanted.flatMap((part) => part.packages)]))) throw new Error(`The tests need ${what}; apt-get could not install it.`)
  if (!findChromium() || !findPython()) throw new Error(`The tests need ${what}; it is still missing after apt-get.`)
}

/** A real, unmodified Hermes in its own virtual environment; at once when it is there already. */
export function installHermes() {
  return new Promise((resolve, reject) => {
    process.stderr.write('Making sure that a real Hermes is there ...\n')
    const child = spawn('bash', [join(root, 'tests', 'contract', 'upstream-hermes', 'install.sh'), HERMES_VENV], { stdio: ['ignore', 2, 2] })
    child.on('error', reject)
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error('A real Hermes could not be installed from the Python package index; see above.'))))
  })
}
