/** `npm test`: everything. Installs what it needs, skips nothing, ends with the line `N passed, N failed`. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { refuseOldNode } from './node-version.mjs'
import { installWhatIsMissing } from './setup.mjs'

refuseOldNode()
await installWhatIsMissing()
const { check, root, run } = await import('./check.mjs')
const { HERMES_VENV, findChromium, installHermes, installPackages } = await import('./system-parts.mjs')

const RESULTS = join(root, '.cache', 'test-results')
rmSync(RESULTS, { recursive: true, force: true })
mkdirSync(RESULTS, { recursive: true })

let passed = 0
let failed = 0
const startedMs = Date.now()
const say = (line) => process.stderr.write(`[${((Date.now() - startedMs) / 1000).toFixed(0)} s] ${line}\n`)

/** One vitest run (browsers beside nothing else: the two cores would measure each other); its tests are counted from its JSON report. A run without a report is one failure. */
function vitest(project) {
  const report = join(RESULTS, `${project}.json`)
  return new Promise((resolve) => {
    const args = ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...(project === 'e2e' ? ['--no-file-parallelism'] : [])]
    const child = spawn(join(root, 'node_modules', '.bin', 'vitest'), args, { cwd: root, stdio: ['ignore', 2, 2], env: { ...process.env, HERMES_VENV, CHROMIUM: findChromium() ?? '' } })
    child.on('close', (code) => {
      const counts = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : null
      passed += counts?.numPassedTests ?? 0
      const failures = (counts?.numFailedTests ?? 0) + (counts?.numPendingTests ?? 0) + (counts?.numTodoTests ?? 0)
      failed += code === 0 && counts && counts.numTotalTests > 0 ? failures : Math.max(1, failures)
      say(`${project}: ${counts?.numPassedTests ?? 0} passed, ${code === 0 ? failures : Math.max(1, failures)} failed`)
      resolve()
    })
  })
}

async function step(name, run) {
  try {
    await run()
  } catch (error) {
    failed += 1
    say(`${name}: ${error.message}`)
    return false
  }
  return true
}

const hermes = step('Hermes', async () => {
  await installPackages()
  await installHermes()
})
const results = await check({ withFence: false })
passed += results.filter((result) => result.passed).length
failed += results.filter((result) => !result.passed).length
const isBuilt = (await run('build', process.execPath, ['scripts/build.mjs'])).passed
passed += isBuilt ? 1 : 0
failed += isBuilt ? 0 : 1
say('checks and build are done')
// A real Hermes mostly waits, for its model and its own pauses: the cores have time for everything that runs in one process beside it.
await Promise.all([vitest('node').then(() => vitest('page')), hermes.then((isThere) => (isThere ? vitest('contract') : undefined))])
if (isBuilt && (await hermes)) await vitest('e2e')
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exit(failed === 0 ? 0 : 1)
