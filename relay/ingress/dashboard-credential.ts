/**
 * How the relay proves itself to one dashboard. Open mode: the process token, configured or read once from the page. Gated mode: the
 * operator's password turned into cookies. In memory only; never logged, never returned.
 */
import type { Clock } from '#relay/clock/clock.ts'
import { CookieJar } from './cookie-jar.ts'
import type { HttpAnswer, SendHttp } from './send-http.ts'

const TOKEN_IN_PAGE = /__HERMES_SESSION_TOKEN__\s*=\s*["']([A-Za-z0-9_-]{16,})["']/
const PAGE_BYTES_MAX = 2 * 1_024 * 1_024
const CREDENTIAL_TIMEOUT_MS = 10_000
/** After a refused log-in none is tried for so long: the dashboard counts ten a minute, and then refuses the right password too. */
export const LOGIN_PAUSE_MS = 10_000

export type DashboardSecrets = { token: string | null; user: string | null; password: string | null }
export type SocketQuery = { kind: 'query'; query: string } | { kind: 'sign_in' | 'unreachable' | 'rate_limited' | 'unsupported'; reason: string }

export class DashboardCredential {
  readonly #secrets: DashboardSecrets
  readonly #send: SendHttp
  readonly #clock: Clock
  readonly #jar = new CookieJar()
  #mode: 'unknown' | 'open' | 'gated' = 'unknown'
  #token: string | null
  #renewal: Promise<void> | null = null
  #noLoginBeforeMs = 0
  /** Counts renewals: a caller whose refusal is older than the last one only has to try again. */
  #generation = 0

  constructor(secrets: DashboardSecrets, send: SendHttp, clock: Clock) {
    this.#secrets = secrets
    this.#send = send
    this.#clock = clock
    this.#token = secrets.token
    if (secrets.token !== null) this.#mode = 'open'
  }

  get generation(): number {
    return this.#generation
  }

  /** Headers of a request; looks for the mode first. Throws nothing: without a credential the dashboard itself will refuse. */
  async headers(): Promise<Record<string, string>> {
    if (this.#renewal || this.#mode === 'unknown') await this.renew(this.#generation)
    if (this.#mode === 'open' && this.#token !== null) return { 'x-hermes-session-token': this.#token }
    const cookie = this.#jar.header(this.#clock.now())
    return cookie === null ? {} : { cookie }
  }

  learn(answer: HttpAnswer): void {
    if (answer.kind === 'answer') for (const line of answer.setCookies) this.#jar.put(line, this.#clock.now())
  }

  /** Once for all who were refused with the same credential. */
  renew(seenGeneration: number): Promise<void> {
    if (seenGeneration < this.#generation) return Promise.resolve()
    this.#renewal ??= this.#renew().finally(() => {
      this.#generation++
      this.#renewal = null
    })
    return this.#renewal
  }

  async #renew(): Promise<void> {
    if (this.#secrets.token === null) await this.#scrape()
    if (this.#mode === 'gated') await this.#logIn()
  }

  async #scrape(): Promise<void> {
    const page = await this.#send({ method: 'GET', path: '/', headers: { accept: 'text/html' }, timeoutMs: CREDENTIAL_TIMEOUT_MS, bytesMax: PAGE_BYTES_MAX })
    if (page.kind !== 'answer') return
    const token = page.status === 200 ? TOKEN_IN_PAGE.exec(page.body)?.[1] : undefined
    this.#token = token ?? null
    this.#mode = token === undefined ? 'gated' : 'open'
  }

  async #logIn(): Promise<void> {
    const { user, password } = this.#secrets
    if (user === null || password === null || this.#clock.now() < this.#noLoginBeforeMs) return
    this.#jar.clear()
    const answer = await this.#send({
      method: 'POST', path: '/auth/password-login', headers: { 'content-type': 'application/json' }, timeoutMs: CREDENTIAL_TIMEOUT_MS, bytesMax: 64 * 1_024,
      body: JSON.stringify({ provider: 'basic', username: user, password, next: '/' }),
    })
    if (answer.kind === 'answer' && answer.status !== 200) this.#noLoginBeforeMs = this.#clock.now() + LOGIN_PAUSE_MS
    this.learn(answer)
  }

  /** The query of one gateway socket: the process token, or a ticket made for this socket alone. */
  async socketQuery(): Promise<SocketQuery> {
    await this.headers()
    if (this.#mode === 'unknown') return { kind: 'unreachable', reason: 'Hermes does not answer.' }
    if (this.#mode === 'open') return { kind: 'query', query: `token=${encodeURIComponent(this.#token as string)}` }
    const first = await this.#ticket()
    if (first.kind !== 'sign_in') return first
    await this.renew(this.#generation)
    return this.#ticket()
  }

  async #ticket(): Promise<SocketQuery> {
    const cookie = this.#jar.header(this.#clock.now())
    const answer = await this.#send({ method: 'POST', path: '/api/auth/ws-ticket', headers: { ...(cookie !== null && { cookie }) }, timeoutMs: CREDENTIAL_TIMEOUT_MS, bytesMax: 64 * 1_024 })
    this.learn(answer)
    if (answer.kind !== 'answer') return { kind: 'unreachable', reason: 'Hermes does not answer.' }
    if (answer.status === 429) return { kind: 'rate_limited', reason: 'Hermes asks for a pause.' }
    if (answer.status === 404) return { kind: 'unsupported', reason: 'This dashboard makes no tickets for sockets.' }
    if (answer.status >= 500) return { kind: 'unreachable', reason: `Hermes answers ${answer.status}.` }
    const ticket = answer.status === 200 ? ticketOf(answer.body) : null
    return ticket === null ? { kind: 'sign_in', reason: 'Hermes refused the credential of the relay.' } : { kind: 'query', query: `ticket=${encodeURIComponent(ticket)}` }
  }
}

function ticketOf(body: string): string | null {
  try {
    const { ticket, ws_ticket: older } = JSON.parse(body) as { ticket?: unknown; ws_ticket?: unknown }
    const found = ticket ?? older
    return typeof found === 'string' && found !== '' ? found : null
  } catch {
    return null
  }
}
