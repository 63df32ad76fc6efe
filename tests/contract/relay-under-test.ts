/** The relay's lease half in this process: real store, real registry, real channel, real transport; it can die without a goodbye. */
import { readFileSync, readdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseMessagePage, type MessageRow, rowText } from '#protocol/dashboard/message-row.ts'
import { parseSessionList, type Session } from '#protocol/dashboard/session-row.ts'
import { createLiveChannel, type LiveChannel } from '#relay/channels/live/live-channel.ts'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import type { ChannelHandle } from '#relay/hub/channel.ts'
import type { DashboardSecrets } from '#relay/ingress/dashboard-credential.ts'
import { createJournalRepo } from '#relay/lease/journal-repo.ts'
import { LeaseRegistry } from '#relay/lease/lease-registry.ts'
import { openStore, type Store } from '#relay/store/open-store.ts'
import { ContractPage, type Line, type LineEvents } from './contract-page.ts'
import { WatchedTransport } from './watched-transport.ts'

type Running = { store: Store; transport: WatchedTransport; registry: LeaseRegistry; channel: LiveChannel; handles: Map<ChannelHandle, LineEvents> }
const PAGE_OF_ROWS = 500
const REQUEST_MS = 15_000

export class RelayUnderTest {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'contract-relay-'))
  readonly log: { line: string; facts: Record<string, unknown> }[] = []
  readonly #baseUrl: string
  readonly #secrets: DashboardSecrets
  #running: Running | null = null
  #pages = 0

  constructor(hermes: { baseUrl: string; secrets: DashboardSecrets }) {
    this.#baseUrl = hermes.baseUrl
    this.#secrets = hermes.secrets
  }

  static async start(hermes: { baseUrl: string; secrets: DashboardSecrets }): Promise<RelayUnderTest> {
    const relay = new RelayUnderTest(hermes)
    await relay.start()
    return relay
  }

  get transport(): WatchedTransport { return this.#up.transport }
  get registry(): LeaseRegistry { return this.#up.registry }
  get #up(): Running {
    if (!this.#running) throw new Error('the relay is down')
    return this.#running
  }

  async start(): Promise<void> {
    const store = openStore(this.dataDir, { clock: systemClock })
    const transport = new WatchedTransport(this.#baseUrl, this.#secrets)
    const registry = new LeaseRegistry({
      transport, journal: createJournalRepo(store.db), clock: systemClock, chance: systemChance,
      onActivity: () => channel.activityChanged(), onLog: (line, facts) => this.log.push({ line, facts }),
    })
    const channel = createLiveChannel({ registry: () => registry, clock: systemClock })
    this.#running = { store, transport, registry, channel, handles: new Map() }
    await registry.start()
  }

  /** SIGKILL as near as one process can have it: nothing is said to Hermes, nothing more is written, the pages lose their lines. */
  kill(): void {
    const running = this.#up
    this.#running = null
    running.transport.die()
    running.registry.close()
    running.channel.close()
    running.store.close()
    for (const events of running.handles.values()) events.onDown()
  }

  /** A device with this conversation open. */
  page(session: string = newDraft(), deviceName = `Device ${++this.#pages}`): ContractPage {
    const page = new ContractPage({ session, connect: (events) => this.#connect(deviceName, events) })
    page.open()
    return page
  }

  #connect(deviceName: string, events: LineEvents): Line | null {
    if (!this.#running) return null
    const { channel, handles } = this.#running
    const handle = channel.open({
      socketId: `${deviceName}-${systemChance.uuid()}`, deviceId: deviceName, deviceName, supports: { live: 1 }, hasGrant: () => true,
      send: (type, payloadJson) => queueMicrotask(() => { if (handles.has(handle)) events.onFrame(type, JSON.parse(payloadJson)) }),
    })
    handles.set(handle, events)
    queueMicrotask(() => events.onUp())
    let order = Promise.resolve()
    return {
      send: (type, payload) => {
        order = order.then(async () => {
          const refusal = handles.has(handle) ? await handle.onFrame({ channel: 'live', type, payload }) : undefined
          if (refusal) events.onRefused(refusal.code)
        })
      },
      close: () => {
        handles.delete(handle)
        handle.onClose()
      },
    }
  }

  async rest(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const answer = await this.transport.request({ method, path, timeoutMs: REQUEST_MS, ...(body === undefined ? {} : { body: JSON.stringify(body) }) })
    if (answer.kind !== 'answer') throw new Error(`${method} ${path}: ${answer.kind}`)
    return { status: answer.status, body: answer.body === '' ? null : JSON.parse(answer.body) }
  }

  /** All rows of a conversation as REST has them, page by page. */
  async rows(storedId: string): Promise<MessageRow[]> {
    const rows: MessageRow[] = []
    for (let offset = 0; ; offset += PAGE_OF_ROWS) {
      const { status, body } = await this.rest('GET', `/api/sessions/${storedId}/messages?limit=${PAGE_OF_ROWS}&offset=${offset}`)
      const page = status === 200 ? parseMessagePage(body) : null
      if (!page) return rows
      rows.push(...page.rows)
      if (page.rows.length + page.skipped < PAGE_OF_ROWS) return rows
    }
  }

  /** What people wrote there, in order. */
  async userTexts(storedId: string): Promise<string[]> {
    return (await this.rows(storedId)).filter((row) => row.role === 'user').map(rowText)
  }

  async list(query = 'limit=100'): Promise<Session[]> {
    return parseSessionList((await this.rest('GET', `/api/sessions?${query}`)).body)
  }

  /** Whether these words are anywhere in what the relay wrote, byte by byte. */
  wroteAnywhere(words: string): boolean {
    return readdirSync(this.dataDir).some((name) => readFileSync(join(this.dataDir, name)).includes(words))
  }

  stop(): void {
    if (this.#running) this.kill()
    rmSync(this.dataDir, { recursive: true, force: true })
  }
}

export const newDraft = (): string => `draft:${systemChance.uuid()}`
