/** `hermes-relay`: opens the store and the port, prints the link, waits, ends. Every expected failure is a sentence and an exit code. */
import { DatabaseSync } from '@photostructure/sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Refused } from '#protocol/refusal/refusal.ts'
import { systemChance, systemClock } from '../clock/clock.ts'
import { type Config, DEFAULT_PORT, loadConfig } from '../config.ts'
import { AgentDesk } from '../hermes-choice/agent-desk.ts'
import { createChoiceRepo } from '../hermes-choice/choice-repo.ts'
import { createAskModels } from '../hermes-choice/provider-models.ts'
import { createSecretBox } from '../store/secret-box.ts'
import { DATABASE_FILE, openStore, type Store } from '../store/open-store.ts'
import { createSettingRepo } from '../store/setting-repo.ts'
import { assemble } from './assemble.ts'
import { chooseTransport } from './choose-transport.ts'
import { createLog, errorFacts, type Log } from './log.ts'
import { openPort, parsePort } from './open-port.ts'
import { DASHBOARD_URL, findRelay, hasDashboard } from './probe.ts'
import { createProgressLine } from './progress-line.ts'
import { alreadyRunningText, goodbyeText, newCodeText, type Ready, readyJson, readyText, refusedText } from './ready-words.ts'
import { Running } from './running.ts'

/** Ctrl-C and SIGTERM end the relay within this time, in ms. */
export const END_WITHIN_MS = 1_800
/** With a Hermes of its own: that one gets eight seconds to end its turns and files. */
export const END_MANAGED_WITHIN_MS = 10_000

export type StartInput = { flags: Record<string, unknown>; version: string; webFolder: string }

export async function start({ flags, version, webFolder }: StartInput): Promise<void> {
  const { config } = loadConfig({ flags, environment: process.env, platform: process.platform })
  const log = createLog(config.logLevel)
  onCrash((error) => log.error('crash', { facts: JSON.stringify(errorFacts(error)) }))
  const store = await openStoreOrFind(config)
  if (!store) return
  const { running, desk } = await build({ config, store, log, version, webFolder })
  const opened = await openPort({ wanted: config.port, settings: createSettingRepo(store.db), listen: (port) => running.listen(port) })
  if (opened.kind === 'already_running') {
    await sayRunning(opened.port, config)
    await end({ running, desk, store })
    return
  }
  onSignals({ running, desk, store }, config)
  await running.now.start()
  log.info('listening', { port: opened.port })
  await announce(opened.port, running, desk, config)
  desk.prepare()
}

type Parts = { config: Config; store: Store; log: Log; version: string; webFolder: string }
type Open = { running: Running; desk: AgentDesk; store: Store }

/** The relay and the desk know each other: the desk has the relay change over, the relay's pages ask the desk. */
async function build({ config, store, log, version, webFolder }: Parts): Promise<Omit<Open, 'store'>> {
  const transportFor = (decided: Parameters<typeof chooseTransport>[0]) => chooseTransport(decided, { config, db: store.db, log, managedAddress: () => desk.managedAddress() })
  const desk: AgentDesk = new AgentDesk({
    settings: config, environment: process.env, dataDir: config.dataDir, clock: systemClock, chance: systemChance,
    repo: createChoiceRepo(createSettingRepo(store.db), createSecretBox(join(config.dataDir, 'secret.key'))), askModels: createAskModels({ clock: systemClock, chance: systemChance }),
    findDashboard: async () => ((await hasDashboard()) ? DASHBOARD_URL : null),
    changeover: { changeTo: (decided) => { const before = desk.now; return running.changeTo(() => transportFor(decided), () => transportFor(before)) } },
    onProgress: createProgressLine(config.json ? null : process.stdout), onLog: (line, facts) => log.info(line, facts),
    onNotice: (text) => { if (!config.json) process.stdout.write(`${text}\n`) },
  })
  const first = await transportFor(await desk.first())
  const running: Running = new Running((transport) => assemble({ config, store, transport, agent: desk, log, version, webFolder }), first)
  return { running, desk }
}

async function end({ running, desk, store }: Open): Promise<void> {
  await Promise.all([running.close(), desk.close()])
  store.close()
}

async function announce(port: number, running: Running, desk: AgentDesk, config: Config): Promise<void> {
  const { relay, auth } = running.now
  const { code } = await auth.mintCode()
  const canPressEnter = !config.json && process.stdin.isTTY === true
  const claimUrl = relay.claimUrl(code, 'here')
  const lanClaimUrl = relay.lanOrigin() === null ? null : relay.claimUrl(code, 'lan')
  const ready: Ready = { port, claimCode: code, claimUrl, lanClaimUrl, pid: process.pid, hermes: relay.hermes.facts(), isPageBuilt: relay.isPageBuilt, isLan: config.lan, canPressEnter, decided: desk.now, isInstalling: desk.wanted !== null }
  if (config.json) {
    process.stdout.write(readyJson(ready))
    return
  }
  process.stdout.write(readyText(ready))
  await showQr(lanClaimUrl, config)
  if (!canPressEnter) return
  createInterface({ input: process.stdin }).on('line', () => {
    void orSay(async () => {
      const now = running.now // Another one than at the start, after a change of the agent.
      const fresh = await now.auth.mintCode()
      process.stdout.write(newCodeText(now.relay.claimUrl(fresh.code, 'here')))
      await showQr(now.relay.lanOrigin() === null ? null : now.relay.claimUrl(fresh.code, 'lan'), config)
    }, (text) => process.stderr.write(text))
  })
}

/** What a person asks for while the relay runs must not end it: a failure is said, and the relay goes on. */
export const orSay = (work: () => Promise<void>, say: (text: string) => void): Promise<void> => work().catch((error: unknown) => say(explain(error).text))

/** A picture of an address that only this machine understands would help nobody: only with `--lan`. */
async function showQr(url: string | null, config: Config): Promise<void> {
  if (url === null || config.noQr || process.stdout.isTTY !== true) return
  const { default: qr } = await import('qrcode')
  process.stdout.write(`${await qr.toString(url, { type: 'terminal', small: true, errorCorrectionLevel: 'L' })}\n`)
}

/** The store, or nothing when its relay already runs and has been named. */
async function openStoreOrFind(config: Config): Promise<Store | null> {
  try {
    return openStore(config.dataDir, { clock: systemClock })
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'store_locked') throw error
    const port = rememberedPort(config.dataDir) ?? config.port ?? DEFAULT_PORT
    if (!(await findRelay(port))) throw error
    await sayRunning(port, config)
    return null
  }
}

async function sayRunning(port: number, config: Config): Promise<void> {
  if (!config.json) process.stdout.write(alreadyRunningText(port))
  else {
    const found = await findRelay(port)
    process.stderr.write(alreadyRunningText(port))
    process.stdout.write(`${JSON.stringify({ url: `http://localhost:${port}`, appUrl: `http://localhost:${port}/app/`, claimUrl: null, claimCode: null, port, pid: null, hermes: found?.hermes ?? null })}\n`)
  }
}

/** Read beside the running relay; SQLite lets readers in. */
function rememberedPort(dataDir: string): number | null {
  const path = join(dataDir, DATABASE_FILE)
  if (!existsSync(path)) return null
  try {
    const db = new DatabaseSync(path, { readOnly: true })
    const row = db.prepare("SELECT value FROM setting WHERE name = 'port'").get() as { value: string } | undefined
    db.close()
    return parsePort(row?.value ?? null)
  } catch {
    return null
  }
}

function onSignals(open: Open, config: Config): void {
  let isEnding = false
  const onSignal = () => {
    if (isEnding) process.exit(130)
    isEnding = true
    const hasOwnHermes = open.desk.hasManaged
    ;(config.json ? process.stderr : process.stdout).write(goodbyeText(hasOwnHermes ? 0 : open.running.now.runningTurns()))
    setTimeout(() => process.exit(0), hasOwnHermes ? END_MANAGED_WITHIN_MS : END_WITHIN_MS).unref()
    void end(open).catch(() => {}).finally(() => process.exit(0))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal)
}

function onCrash(write: (error: unknown) => void): void {
  const crash = (error: unknown) => {
    write(error)
    process.exit(1)
  }
  process.on('uncaughtException', crash)
  process.on('unhandledRejection', crash)
}

/** For `main`: the sentence and the exit code of a failure. */
export function explain(error: unknown): { text: string; exitCode: number } {
  if (error instanceof Refused) return { text: refusedText(error), exitCode: error.code === 'config_invalid' ? 2 : 1 }
  return { text: `The relay made a mistake: ${JSON.stringify(errorFacts(error))}\n`, exitCode: 1 }
}
