/** `npm run dev`: the relay rebuilt and restarted on every change, the page with hot reload in front of it. Flags go to the relay. */
import { spawn } from 'node:child_process'
import { mkdirSync, watch } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { refuseOldNode } from './node-version.mjs'
import { installWhatIsMissing } from './setup.mjs'

refuseOldNode()
await installWhatIsMissing()
const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const PORT = 8791
const dataDir = join(root, '.cache', 'dev-data')
mkdirSync(dataDir, { recursive: true, mode: 0o700 })
let relay = null
let isBuilding = false
let isStale = false

async function rebuild() {
  if (isBuilding) {
    isStale = true
    return
  }
  isBuilding = true
  const code = await new Promise((resolve) => spawn(process.execPath, ['scripts/build.mjs', '--only=relay'], { cwd: root, stdio: ['ignore', 2, 2] }).once('close', resolve))
  if (code === 0) restart() // What does not build leaves the old one running.
  isBuilding = false
  if (isStale) {
    isStale = false
    await rebuild()
  }
}

function restart() {
  relay?.kill('SIGTERM')
  const before = relay
  const launch = () => {
    relay = spawn(process.execPath, ['dist/relay/main.js', '--port', String(PORT), '--data-dir', dataDir, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' })
  }
  if (before && before.exitCode === null) before.once('exit', launch)
  else launch()
}

await rebuild()
for (const folder of ['relay', 'protocol']) watch(join(root, folder), { recursive: true }, () => void rebuild())
process.env.HERMES_RELAY_URL = `http://localhost:${PORT}`
const { createServer } = await import('vite')
const server = await createServer({ root, configFile: join(root, 'vite.config.ts') })
await server.listen()
server.printUrls()
process.stdout.write('Open the address of the page with the #claim=… part of the link above.\n')
const end = () => {
  relay?.kill('SIGTERM')
  void server.close().then(() => process.exit(0))
}
process.on('SIGINT', end)
process.on('SIGTERM', end)
