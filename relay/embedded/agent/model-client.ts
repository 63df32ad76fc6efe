/**
 * The line to an OpenAI-compatible model: one streamed answer at a time, every failure as a sentence. Follows no redirect, waits for
 * nothing without a bound, asks again only while nothing of the answer was seen, and never lets the key out of its header.
 */
import { createSseReader } from '#protocol/sse/sse-reader.ts'
import type { Chance, Clock, TimerHandle } from '#relay/clock/clock.ts'
import { type Answer, AnswerFold, type Heard } from './answer-fold.ts'
import { cut, detailOf, fromStatus, fromStreamError, malformed, ModelFailed, retryAfterMs, silent, tooLong, unreachable } from './model-failure.ts'

export type Provider = { baseUrl: string; model: string; apiKey: string | null }
export type ModelMessage = { role: 'system' | 'user' | 'assistant' | 'tool'; content: string | null; tool_calls?: unknown[]; tool_call_id?: string }
export type ModelRequest = { model: string; messages: readonly ModelMessage[]; tools: readonly object[] }
export type ModelTiming = { firstMs: number; silenceMs: number; answerMs: number; retryMs: number; modelsMs: number }

/** A model that is loaded for the first time needs minutes. Between two pieces it does not. In ms. */
export const MODEL_TIMING: ModelTiming = { firstMs: 180_000, silenceMs: 90_000, answerMs: 1_800_000, retryMs: 800, modelsMs: 10_000 }
/** Requests of one answer that are sent again. */
export const RETRIES_MAX = 2
/** A server that wants a longer pause is told to the person instead, in ms. */
export const RETRY_PAUSE_MS_MAX = 20_000
/** Of a refusal's body, so much is read, in bytes. */
const REFUSAL_BYTES_MAX = 64 * 1_024
/** Longest event of a stream, in UTF-16 units. */
export const STREAM_EVENT_CHARS_MAX = 4 * 1_024 * 1_024
/** Longest list of models or answer in one piece, in bytes. */
export const BODY_BYTES_MAX = 8 * 1_024 * 1_024
/** Names kept of a list of models. */
export const MODELS_MAX = 500

/** Thrown when the caller's signal stopped the answer. */
export const STOPPED = Symbol('stopped')

/** The API's root for an address as a person writes it: with or without `/v1`, a slash, or the whole path of the call. */
export function apiRoot(baseUrl: string): string {
  const url = new URL(baseUrl.trim())
  const path = url.pathname.replace(/\/+$/, '').replace(/\/chat\/completions$/, '').replace(/\/+$/, '')
  return `${url.origin}${path.split('/').some((part) => /^v\d/.test(part)) ? path : `${path}/v1`}`
}

type Deps = { provider: Provider; clock: Clock; chance: Chance; timing: ModelTiming; onLog?: (line: string, facts: Record<string, unknown>) => void }
type Listen = { signal: AbortSignal; onHeard(heard: Heard): void; /** Nothing came; it is asked again after a pause. */ onRetry(): void }

export class ModelClient {
  readonly #deps: Deps
  readonly #root: string
  readonly host: string
  /** Some servers refuse what they do not know; then it is left out from then on. */
  readonly #leftOut = new Set<string>()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#root = apiRoot(deps.provider.baseUrl)
    this.host = new URL(this.#root).host
  }

  /** One whole answer. Throws `STOPPED` or a `ModelFailed`; what was heard until then was told. */
  async answer(request: ModelRequest, listen: Listen): Promise<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const fold = new AnswerFold()
      try {
        await this.#stream(request, fold, listen)
        return fold.answer(() => `call_${this.#deps.chance.token(9)}`)
      } catch (error) {
        if (listen.signal.aborted) throw STOPPED
        if (!(error instanceof ModelFailed)) throw error
        const { failure } = error
        this.#deps.onLog?.('the model did not answer', { code: failure.code, attempt })
        const pauseMs = failure.retryAfterMs ?? this.#deps.timing.retryMs * 2 ** attempt * (0.5 + this.#deps.chance.unit())
        if (!failure.isPassing || !fold.isEmpty || attempt >= RETRIES_MAX || pauseMs > RETRY_PAUSE_MS_MAX) throw error
        listen.onRetry()
        await this.#pause(pauseMs, listen.signal)
      }
    }
  }

  /** The models that the server offers. Throws a `ModelFailed`. */
  async models(): Promise<string[]> {
    const watch = this.#watch(new AbortController().signal)
    try {
      watch.arm(this.#deps.timing.modelsMs)
      const response = await this.#fetch('/models', { method: 'GET' }, watch.signal)
      if (!response.ok) throw new ModelFailed(await this.#refusal(response, ''))
      const body = parse(await readBody(response, BODY_BYTES_MAX)) as { data?: unknown; models?: unknown } | null
      const list = Array.isArray(body?.data) ? body.data : Array.isArray(body?.models) ? body.models : null
      if (!list) throw new ModelFailed(malformed())
      const names = list.flatMap((item: unknown) => { const id = (item as { id?: unknown } | null)?.id; return typeof id === 'string' && id !== '' ? [id] : [] })
      return [...new Set<string>(names)].slice(0, MODELS_MAX)
    } catch (error) {
      throw watch.reason() ?? (error instanceof ModelFailed ? error : new ModelFailed(unreachable(this.host)))
    } finally {
      watch.clear()
    }
  }

  async #stream(request: ModelRequest, fold: AnswerFold, listen: Listen): Promise<void> {
    const { timing } = this.#deps
    const watch = this.#watch(listen.signal)
    try {
      watch.arm(timing.firstMs)
      watch.limit(timing.answerMs)
      const response = await this.#post(request, watch.signal)
      if (!response.ok) throw new ModelFailed(await this.#refusal(response, request.model))
      if (/\bjson\b/i.test(response.headers.get('content-type') ?? '')) takeWhole(parse(await readBody(response, BODY_BYTES_MAX)), fold, listen, this.#deps.provider.apiKey)
      else await this.#read(response, fold, listen, () => watch.arm(timing.silenceMs))
    } catch (error) {
      if (listen.signal.aborted) throw STOPPED
      throw watch.reason() ?? (error instanceof ModelFailed ? error : error instanceof RangeError ? new ModelFailed(tooLong()) : new ModelFailed(fold.isEmpty ? unreachable(this.host) : cut()))
    } finally {
      watch.clear()
    }
  }

  async #read(response: Response, fold: AnswerFold, listen: Listen, onPiece: () => void): Promise<void> {
    const parser = createSseReader(STREAM_EVENT_CHARS_MAX)
    const decoder = new TextDecoder()
    const take = (data: string): boolean => {
      if (data.trim() === '[DONE]') return true
      const chunk = parse(data)
      if (chunk === null) throw new ModelFailed(malformed())
      if ('error' in (chunk as object) && (chunk as { error: unknown }).error) throw new ModelFailed(fromStreamError(detailOf(chunk, this.#deps.provider.apiKey)))
      for (const heard of fold.push(chunk)) listen.onHeard(heard)
      onPiece()
      return fold.isCut
    }
    let done = false
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      for (const { data } of parser.feed(decoder.decode(bytes, { stream: true }))) done ||= take(data)
      if (done) break // Leaving the loop closes the line.
    }
    if (!done) for (const { data } of [...parser.feed(decoder.decode()), ...parser.finish()]) done ||= take(data)
    for (const heard of fold.end()) listen.onHeard(heard)
    const isStream = /event-stream/i.test(response.headers.get('content-type') ?? '')
    if (!done && !fold.isFinished) throw new ModelFailed(isStream || !fold.isEmpty ? cut() : malformed())
  }

  /** A server that refuses a field it does not know is asked once more without it. */
  async #post(request: ModelRequest, signal: AbortSignal): Promise<Response> {
    const { model } = request
    for (;;) {
      const body = {
        model, messages: request.messages, stream: true, ...(this.#leftOut.has(`stream_options ${model}`) ? {} : { stream_options: { include_usage: true } }),
        ...(request.tools.length === 0 || this.#leftOut.has(`tools ${model}`) ? {} : { tools: request.tools }),
      }
      const response = await this.#fetch('/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json', accept: 'text/event-stream' }, body: JSON.stringify(body) }, signal)
      if (response.status !== 400 && response.status !== 422) return response
      const text = await readBody(response, REFUSAL_BYTES_MAX)
      const field = /stream_options|include_usage/.test(text) ? 'stream_options' : /(?:does not|doesn't|not) support (?:tools|tool|function)/i.test(text) ? 'tools' : null
      if (field === null || this.#leftOut.has(`${field} ${model}`)) return new Response(text, { status: response.status, headers: response.headers })
      this.#deps.onLog?.('the model does without a field', { field })
      this.#leftOut.add(`${field} ${model}`)
    }
  }

  #fetch(path: string, init: RequestInit, signal: AbortSignal): Promise<Response> {
    const { apiKey } = this.#deps.provider
    return fetch(`${this.#root}${path}`, { ...init, signal, redirect: 'manual', headers: { ...init.headers, ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) } })
  }

  async #refusal(response: Response, model: string) {
    const text = await readBody(response, REFUSAL_BYTES_MAX).catch(() => '')
    return fromStatus(response.status, model, detailOf(parse(text) ?? text, this.#deps.provider.apiKey), retryAfterMs(response.headers.get('retry-after'), this.#deps.clock.now()))
  }

  /** A signal that also fires when nothing is heard for too long. */
  #watch(outer: AbortSignal) {
    const { clock } = this.#deps
    const own = new AbortController()
    const timers: (TimerHandle | null)[] = [null, null]
    let failed: ModelFailed | null = null
    const set = (slot: 0 | 1, delayMs: number): void => {
      if (timers[slot]) clock.clearTimer(timers[slot])
      timers[slot] = clock.setTimer(() => {
        failed = new ModelFailed(silent(Math.round(delayMs / 1_000)))
        own.abort()
      }, delayMs)
    }
    return {
      signal: AbortSignal.any([outer, own.signal]), reason: (): ModelFailed | null => failed,
      arm: (delayMs: number) => set(0, delayMs), limit: (delayMs: number) => set(1, delayMs), clear: () => { for (const timer of timers) if (timer) clock.clearTimer(timer) },
    }
  }

  #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clock.clearTimer(timer)
        reject(STOPPED)
      }
      const timer = clock.setTimer(() => {
        signal.removeEventListener('abort', stop)
        resolve()
      }, delayMs)
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}

function takeWhole(body: unknown, fold: AnswerFold, listen: Listen, apiKey: string | null): void {
  if (body !== null && typeof body === 'object' && (body as { error?: unknown }).error) throw new ModelFailed(fromStreamError(detailOf(body, apiKey)))
  for (const heard of [...fold.push(body), ...fold.end()]) listen.onHeard(heard)
  if (!fold.isFinished && fold.isEmpty) throw new ModelFailed(malformed())
}

async function readBody(response: Response, bytesMax: number): Promise<string> {
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length
    if (bytes > bytesMax) throw new ModelFailed(tooLong())
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}
