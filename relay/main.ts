/** The entry of the relay: reads the command line, starts, and says in one sentence what went wrong if it does. */
import './cli/small-heap.ts' // First, before anything allocates.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseCommandLine } from './cli/command-line.ts'
import { explain, start } from './cli/start.ts'

/** The folder of package.json: two levels up from the bundle, one from the source. */
function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder
    if (folder === dirname(folder)) throw new Error('invariant broken: the relay lives in its package')
  }
}

const root = findRoot(dirname(fileURLToPath(import.meta.url)))
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const line = parseCommandLine(process.argv.slice(2), version)
if (line.kind === 'answered') {
  process.stdout.write(line.out)
  process.stderr.write(line.err)
  process.exitCode = line.exitCode
} else {
  start({ flags: line.flags, version, webFolder: join(root, 'dist', 'web') }).catch((error: unknown) => {
    const { text, exitCode } = explain(error)
    process.stderr.write(text)
    process.exit(exitCode)
  })
}
