/**
 * One answer of a model, put together from the pieces that an OpenAI-compatible server streams. Pure and total: whatever a piece
 * holds, what cannot be read is left out. Servers differ in how they number tool calls and what they call thinking; all are read.
 */
import { type Payload, record } from '#protocol/turn/payload.ts'
import { feedTags, finishTags, type SpokenPiece as Said, startTags } from '#protocol/text/reasoning-tags.ts'

/** Longest answer with its thinking, in UTF-16 units; what comes after is not kept. */
export const ANSWER_CHARS_MAX = 1_000_000
/** Tool calls of one answer. */
export const CALLS_MAX = 32
/** Longest arguments of one call, in UTF-16 units. */
export const ARGS_CHARS_MAX = 1_000_000

export type ToolCall = { id: string; name: string; args: string }
export type ModelUsage = { input: number; output: number }
export type Answer = { text: string; reasoning: string; calls: ToolCall[]; finish: string | null; usage: ModelUsage | null }
export type Heard = Said | { kind: 'call_begun'; name: string }

const str = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.round(value) : null)

type OpenCall = ToolCall & { index: number | null; told: boolean }

export class AnswerFold {
  #tags = startTags(true)
  readonly #calls: OpenCall[] = []
  #text = ''
  #reasoning = ''
  #finish: string | null = null
  #usage: ModelUsage | null = null
  #isCut = false

  /** Nothing that a person or the loop could use has come yet: the request may be sent again. */
  get isEmpty(): boolean { return this.#text === '' && this.#reasoning === '' && this.#calls.length === 0 }
  get isFinished(): boolean { return this.#finish !== null }
  get isCut(): boolean { return this.#isCut }

  /** One event of the stream, or a whole answer of a server that does not stream. */
  push(chunk: unknown): Heard[] {
    const body = record(chunk)
    const usage = record(body?.['usage'])
    if (usage) this.#usage = { input: count(usage['prompt_tokens']) ?? 0, output: count(usage['completion_tokens']) ?? 0 }
    const choices = body?.['choices']
    const choice = Array.isArray(choices) ? record(choices[0]) : null
    if (!choice) return []
    const delta = record(choice['delta']) ?? record(choice['message']) ?? {}
    const heard: Heard[] = [...this.#keep([{ kind: 'reasoning', text: str(delta['reasoning_content']) || str(delta['reasoning']) }]), ...this.#keep(this.#said(words(delta['content'])))]
    const calls = delta['tool_calls']
    if (Array.isArray(calls)) for (const raw of calls) heard.push(...this.#call(record(raw)))
    if (str(choice['finish_reason']) !== '') this.#finish = str(choice['finish_reason'])
    return heard
  }

  /** The stream ended: what waited for a tag is told. */
  end(): Heard[] {
    return this.#keep(finishTags(this.#tags))
  }

  /** Calls without an id get one from `makeId`; a call without a name was never finished. */
  answer(makeId: () => string): Answer {
    const calls = this.#calls.filter((call) => call.name !== '').map(({ id, name, args }) => ({ id: id || makeId(), name, args }))
    return { text: this.#text, reasoning: this.#reasoning, calls, finish: this.#isCut ? 'length' : this.#finish, usage: this.#usage }
  }

  #said(piece: string): readonly Said[] {
    const { state, pieces } = feedTags(this.#tags, piece)
    this.#tags = state
    return pieces
  }

  #keep(said: readonly Said[]): Said[] {
    return said.flatMap(({ kind, text }) => {
      const room = ANSWER_CHARS_MAX - this.#text.length - this.#reasoning.length
      if (text.length > room) this.#isCut = true
      const kept = text.slice(0, Math.max(0, room))
      if (kept === '') return []
      if (kind === 'text') this.#text += kept
      else this.#reasoning += kept
      return [{ kind, text: kept }]
    })
  }

  #call(piece: Payload | null): Heard[] {
    if (!piece) return []
    const call = this.#find(count(piece['index']), str(piece['id']))
    if (!call) return []
    const fn = record(piece['function']) ?? {}
    call.id ||= str(piece['id'])
    // A server may send the name again with each piece, or the arguments as an object.
    call.name ||= str(fn['name'])
    const args = typeof fn['arguments'] === 'string' ? fn['arguments'] : record(fn['arguments']) ? JSON.stringify(fn['arguments']) : ''
    if (call.args.length + args.length > ARGS_CHARS_MAX) this.#isCut = true
    else call.args += args
    if (call.told || call.name === '') return []
    call.told = true
    return [{ kind: 'call_begun', name: call.name }]
  }

  /** By index; a server without one begins a new call with each new id. A known index with another id is another call. */
  #find(index: number | null, id: string): OpenCall | null {
    const last = this.#calls.findLast((call) => index === null || call.index === index)
    if (last && (id === '' || last.id === '' || last.id === id)) return last
    if (this.#calls.length >= CALLS_MAX) {
      this.#isCut = true
      return null
    }
    const call: OpenCall = { id, name: '', args: '', index, told: false }
    this.#calls.push(call)
    return call
  }
}

/** Text, or the text parts of a list. */
const words = (content: unknown): string => (Array.isArray(content) ? content.map((part) => str(record(part)?.['text'])).join('') : str(content))
