/** `npm run bench [-- NAME…]`: bundles tests/load/bench.ts and runs it against what `npm start` runs. */
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { refuseOldNode } from './node-version.mjs'
import { installWhatIsMissing } from './setup.mjs'

refuseOldNode()
await installWhatIsMissing()
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
if (spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs')], { cwd: root, stdio: ['ignore', 2, 2] }).status !== 0) process.exit(1)
const { build } = await import('esbuild')
const outfile = join(root, 'node_modules', '.cache', 'hermes-relay', 'bench.mjs')
await build({ absWorkingDir: root, entryPoints: ['tests/load/bench.ts'], outfile, bundle: true, format: 'esm', platform: 'node', target: 'node20', packages: 'external', logLevel: 'warning' })
process.exit(spawnSync(process.execPath, [outfile, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' }).status ?? 1)
