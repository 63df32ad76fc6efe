/** `hermes-relay`: opens the store and the port, prints the link, waits, ends. Every expected failure is a sentence and an exit code. */
import { DatabaseSync } from '@photostructure/sqlite'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Refused } from '#protocol/refusal/refusal.ts'
import { systemClock } from '../clock/clock.ts'
import { type Config, DEFAULT_PORT, loadConfig } from '../config.ts'
import { DATABASE_FILE, openStore, type Store } from '../store/open-store.ts'
import { createSettingRepo } from '../store/setting-repo.ts'
import { assemble, type Assembled, chooseTransport } from './assemble.ts'
import { createLog, errorFacts } from './log.ts'
import { openPort, parsePort } from './open-port.ts'
import { findRelay } from './probe.ts'
import { alreadyRunningText, goodbyeText, newCodeText, type Ready, readyJson, readyText, refusedText } from './ready-words.ts'

/** Ctrl-C and SIGTERM end the relay within this time, in ms. */
export const END_WITHIN_MS = 1_800

export type StartInput = { flags: Record<string, unknown>; version: string; webFolder: string }

export async function start({ flags, version, webFolder }: StartInput): Promise<void> {
  const { config } = loadConfig({ flags, environment: process.env, platform: process.platform })
  const log = createLog(config.logLevel)
  onCrash((error) => log.error('crash', { facts: JSON.stringify(errorFacts(error)) }))
  const store = await openStoreOrFind(config)
  if (!store) return
  const assembled = assemble({ config, store, transport: await chooseTransport(config), log, version, webFolder })
  const opened = await openPort({ wanted: config.port, settings: createSettingRepo(store.db), listen: (port) => assembled.relay.listen(port) })
  if (opened.kind === 'already_running') {
    await sayRunning(opened.port, config)
    await assembled.close()
    store.close()
    return
  }
  onSignals(assembled, store, config)
  await assembled.start()
  log.info('listening', { port: opened.port })
  await announce(opened.port, assembled, config)
}

async function announce(port: number, { relay, auth }: Assembled, config: Config): Promise<void> {
  const { code } = await auth.mintCode()
  const canPressEnter = !config.json && process.stdin.isTTY === true
  const claimUrl = relay.claimUrl(code, 'here')
  const lanClaimUrl = relay.lanOrigin() === null ? null : relay.claimUrl(code, 'lan')
  const ready: Ready = { port, claimCode: code, claimUrl, lanClaimUrl, pid: process.pid, hermes: relay.hermes.facts(), isPageBuilt: relay.isPageBuilt, isLan: config.lan, canPressEnter, isDemoChosen: config.hermes === 'embedded' }
  if (config.json) {
    process.stdout.write(readyJson(ready))
    return
  }
  process.stdout.write(readyText(ready))
  await showQr(lanClaimUrl, config)
  if (!canPressEnter) return
  createInterface({ input: process.stdin }).on('line', () => {
    void orSay(async () => {
      const fresh = await auth.mintCode()
      process.stdout.write(newCodeText(relay.claimUrl(fresh.code, 'here')))
      await showQr(relay.lanOrigin() === null ? null : relay.claimUrl(fresh.code, 'lan'), config)
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

function onSignals(assembled: Assembled, store: Store, config: Config): void {
  let isEnding = false
  const end = () => {
    if (isEnding) process.exit(130)
    isEnding = true
    ;(config.json ? process.stderr : process.stdout).write(goodbyeText(assembled.runningTurns()))
    setTimeout(() => process.exit(0), END_WITHIN_MS).unref()
    void assembled.close().catch(() => {}).finally(() => {
      store.close()
      process.exit(0)
    })
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end)
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
