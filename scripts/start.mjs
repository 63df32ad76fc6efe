/** `npm start`: installs and builds what is out of date, then runs the relay in this very process. Nothing of it prints to stdout. */
import { spawnSync } from 'node:child_process'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { refuseOldNode } from './node-version.mjs'
import { installWhatIsMissing } from './setup.mjs'

refuseOldNode()
await installWhatIsMissing()
const scripts = dirname(fileURLToPath(import.meta.url))
const { whatIsOld } = await import('./build.mjs')
if (whatIsOld().length > 0) {
  // In a process of its own: the builders would stay in the relay's memory.
  const { status } = spawnSync(process.execPath, [join(scripts, 'build.mjs')], { stdio: ['ignore', 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
await import(pathToFileURL(join(scripts, '..', 'dist', 'relay', 'main.js')).href)
