/** A Python that Hermes runs on, or the exact words for what is missing. Asks the candidates themselves: a name on the PATH may be a shim. */
import { execFile } from 'node:child_process'

export const PYTHON_CANDIDATES = ['python3.13', 'python3.12', 'python3.11', 'python3'] as const
/** What the pinned Hermes says of itself: from 3.11 up to, not with, 3.14. */
const MINOR_MIN = 11
const MINOR_MAX = 13
const ASK_WITHIN_MS = 10_000
const PROBE = `
import importlib.util as u, sys
print('%d.%d' % sys.version_info[:2])
print(' '.join(name for name in ('venv', 'ensurepip') if u.find_spec(name) is None))
print(sys.executable)`

export type FoundPython = { ok: true; path: string; version: string; say: string } | { ok: false; say: string }
export type PythonAnswer = { version: string; missing: readonly string[]; path: string }

export async function findPython(environment: NodeJS.ProcessEnv = process.env): Promise<FoundPython> {
  const answers = await Promise.all(PYTHON_CANDIDATES.map((name) => askPython(name, environment)))
  return judgePythons(answers.filter((answer) => answer !== null), process.platform)
}

/** The first that fits; else the nearest miss, named. Pure. */
export function judgePythons(answers: readonly PythonAnswer[], platform: NodeJS.Platform): FoundPython {
  const right = answers.filter(({ version }) => isRight(version))
  const whole = right.find(({ missing }) => missing.length === 0)
  if (whole) return { ok: true, path: whole.path, version: whole.version, say: `Python ${whole.version}` }
  const [half] = right
  if (half) return { ok: false, say: `Python ${half.version} was found, but the ${half.missing.length > 1 ? 'modules' : 'module'} ${half.missing.join(' and ')} ${half.missing.length > 1 ? 'are' : 'is'} missing${platform === 'linux' ? `: on Debian and Ubuntu, run "apt install python${half.version}-venv"` : ': install Python from python.org'}.` }
  const found = [...new Set(answers.map(({ version }) => version))]
  const need = `3.${MINOR_MIN} to 3.${MINOR_MAX} is needed.`
  if (found.length > 0) return { ok: false, say: `Python ${found.join(' and ')} was found, ${need}${installHint(platform)}` }
  return { ok: false, say: `No Python was found, ${need}${installHint(platform)}` }
}

function isRight(version: string): boolean {
  const [major, minor] = version.split('.').map(Number)
  return major === 3 && minor !== undefined && minor >= MINOR_MIN && minor <= MINOR_MAX
}

const installHint = (platform: NodeJS.Platform): string => ({ linux: ' On Debian and Ubuntu, run "apt install python3 python3-venv".', darwin: ' Run "brew install python@3.13", or install it from python.org.', win32: ' Install it from python.org.' })[platform as 'linux'] ?? ''

const askPython = (name: string, environment: NodeJS.ProcessEnv): Promise<PythonAnswer | null> => new Promise((resolve) => {
  execFile(name, ['-c', PROBE], { env: environment, timeout: ASK_WITHIN_MS, encoding: 'utf8' }, (error, stdout) => {
    const [version, missing = '', path = ''] = stdout.split('\n').map((line) => line.trim())
    resolve(error || !/^\d+\.\d+$/.test(version ?? '') || path === '' ? null : { version: version as string, missing: missing.split(' ').filter(Boolean), path })
  })
})
