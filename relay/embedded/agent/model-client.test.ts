/** The line to a model over real HTTP: what is asked, what is heard, and every way in which it can fail. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { systemChance, systemClock } from '#relay/clock/clock.ts'
import type { Heard } from './answer-fold.ts'
import { apiRoot, BODY_BYTES_MAX, MODEL_TIMING, ModelClient, MODELS_MAX, type ModelTiming, RETRIES_MAX, STOPPED, STREAM_EVENT_CHARS_MAX } from './model-client.ts'
import { detailOf, failureText, ModelFailed, retryAfterMs } from './model-failure.ts'
import { createScriptedModel, type Reply, type ScriptedModel } from './scripted-model.fake.ts'

vi.setConfig({ testTimeout: 20_000 }) // Real processes and lines on a busy machine; nothing here waits for a time.

const KEY = 'sk-secret-1234567890'
let model: ScriptedModel
beforeEach(async () => { model = await createScriptedModel() })
afterEach(() => model.close())

function ask(options: { timing?: Partial<ModelTiming>; signal?: AbortSignal; url?: string } = {}) {
  const log: unknown[] = []
  const heard: Heard[] = []
  let retries = 0
  const client = new ModelClient({
    provider: { baseUrl: options.url ?? model.url, model: 'model-a', apiKey: KEY }, clock: systemClock, chance: systemChance, timing: { ...MODEL_TIMING, retryMs: 5, ...options.timing },
    onLog: (line, facts) => log.push([line, facts]),
  })
  const answer = client.answer({ model: 'model-a', messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'function' }] }, {
    signal: options.signal ?? new AbortController().signal, onHeard: (one) => heard.push(one), onRetry: () => { retries += 1 },
  })
  answer.catch(() => undefined)
  return { client, answer, heard, log, retries: () => retries }
}
async function failure(asked: ReturnType<typeof ask>) {
  const error: unknown = await asked.answer.then(() => null, (thrown: unknown) => thrown)
  if (!(error instanceof ModelFailed)) throw new Error(`not a failure: ${String(error)}`)
  expect(JSON.stringify([error.failure, error.message, asked.log])).not.toContain(KEY)
  return error.failure
}

test.each([
  ['http://h:1', 'http://h:1/v1'], ['http://h:1/', 'http://h:1/v1'], ['http://h:1/v1', 'http://h:1/v1'], ['http://h:1/v1/', 'http://h:1/v1'], [' https://h/api/v1/chat/completions/ ', 'https://h/api/v1'],
  ['https://h/api', 'https://h/api/v1'], ['https://h/v1beta/openai/', 'https://h/v1beta/openai'], ['http://h/v1?x=1', 'http://h/v1'],
])('the root of %s', (baseUrl, root) => {
  expect(apiRoot(baseUrl)).toBe(root)
})

test('a streamed answer, piece by piece, with the key in its header only', async () => {
  model.replies.push({ think: ['Hm'], say: ['Hel', 'lo'], usage: [10, 2] })
  const { answer, heard } = ask()
  expect(await answer).toEqual({ text: 'Hello', reasoning: 'Hm', calls: [], finish: 'stop', usage: { input: 10, output: 2 } })
  expect(heard.map(({ kind }) => kind)).toEqual(['reasoning', 'text', 'text'])
  expect(model.asked[0]).toMatchObject({ method: 'POST', path: '/v1/chat/completions', headers: { authorization: `Bearer ${KEY}` }, body: { model: 'model-a', stream: true, stream_options: { include_usage: true }, tools: [{ type: 'function' }] } })
  expect(JSON.stringify(model.asked[0]?.body)).not.toContain(KEY)
})

test('letters that are cut in the middle, a server that does not stream, one that forgets the last line', async () => {
  model.replies.push((response) => {
    const bytes = Buffer.from(`data: ${JSON.stringify({ choices: [{ delta: { content: 'é😀' }, finish_reason: 'stop' }] })}\n\n`)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    let at = 0
    const next = (): void => {
      response.write(bytes.subarray(at, at + 1))
      at += 1
      if (at < bytes.length) setImmediate(next)
      else response.end()
    }
    next()
  })
  expect((await ask().answer).text).toBe('é😀')
  model.replies.push({ status: 200, body: JSON.stringify({ choices: [{ message: { content: 'whole' }, finish_reason: 'stop' }] }) })
  expect((await ask().answer).text).toBe('whole')
  model.replies.push((response) => { response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}') })
  expect((await ask().answer).text).toBe('x')
})

test.each<[string, Reply, string, RegExp]>([
  ['401', { status: 401, body: `{"error":{"message":"Incorrect key ${KEY} (sk-secr****7890)"}}` }, 'refused_key', /key in the settings/],
  ['404', { status: 404, body: '{"error":{"message":"model not found"}}' }, 'unknown_model', /model-a.*model not found/],
  ['400', { status: 400, body: '{"error":"too long"}' }, 'refused_request', /too long/],
  ['redirect', { status: 302, headers: { location: 'http://127.0.0.1:1/steal' } }, 'redirected', /final address/],
  ['HTML', { status: 200, body: '<html>', headers: { 'content-type': 'text/html' } }, 'malformed', /OpenAI-compatible/],
  ['JSON without an answer', { status: 200, body: '{"x":1}' }, 'malformed', /OpenAI-compatible/],
  ['an event that is no JSON', (response) => { response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"cho\n\n') }, 'malformed', /OpenAI-compatible/],
  ['an endless body', (response) => { response.writeHead(200, { 'content-type': 'application/json' }).end(' '.repeat(BODY_BYTES_MAX + 1)) }, 'too_long', /another model/],
  ['an endless event', (response) => { response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${'x'.repeat(STREAM_EVENT_CHARS_MAX + 1)}`) }, 'too_long', /another model/],
])('%s is a sentence and what to do', async (_name, reply, code, words) => {
  for (let tries = 0; tries <= RETRIES_MAX; tries++) model.replies.push(reply)
  const failed = await failure(ask())
  expect(failed.code).toBe(code)
  expect(failureText(failed)).toMatch(words)
})

test.each<[string, Reply]>([['503', { status: 503 }], ['429', { status: 429, headers: { 'retry-after': '0' } }], ['cut before the first word', { cut: true }], ['an error in the stream', (response) => { response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"error":{"message":"overloaded"}}\n\n') }]])('%s before the first word is asked again, a bounded number of times', async (_name, reply) => {
  model.replies.push(reply, { say: ['fine'] })
  const asked = ask()
  expect((await asked.answer).text).toBe('fine')
  expect(asked.retries()).toBe(1)
  model.replies.push(...Array.from({ length: RETRIES_MAX + 1 }, () => reply), { say: ['too late'] })
  await failure(ask())
  expect(model.asked).toHaveLength(2 + RETRIES_MAX + 1)
})

test('after the first word nothing is asked again', async () => {
  model.replies.push({ say: ['Hel'], cut: true }, { say: ['again'] })
  const asked = ask()
  expect((await failure(asked)).code).toBe('cut')
  expect([asked.heard, model.asked.length]).toEqual([[{ kind: 'text', text: 'Hel' }], 1])
})

test('a long pause that the server wants is told, not waited for', async () => {
  model.replies.push({ status: 429, headers: { 'retry-after': '120' } })
  const failed = await failure(ask())
  expect(failureText(failed)).toContain('Wait 120 seconds')
  expect(model.asked).toHaveLength(1)
})

test('silence has a bound, before and after the first word', async () => {
  model.replies.push({ hang: true })
  expect((await failure(ask({ timing: { firstMs: 60 } }))).code).toBe('silent')
  model.replies.push({ say: ['Hel'], hang: true })
  const asked = ask({ timing: { silenceMs: 60 } })
  expect((await failure(asked)).code).toBe('silent')
  expect(asked.heard).toHaveLength(1)
  model.replies.push((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const drip = setInterval(() => response.write(`data: ${JSON.stringify({ choices: [{ delta: { content: '.' } }] })}\n\n`), 10)
    response.once('close', () => clearInterval(drip))
  })
  expect((await failure(ask({ timing: { answerMs: 150 } }))).code).toBe('silent')
  for (let tries = 0; tries < 100 && model.open > 0; tries++) await new Promise((resolve) => setTimeout(resolve, 10))
  expect(model.open).toBe(0)
})

test('stopped: the line is closed, also in the pause between two requests', async () => {
  const controller = new AbortController()
  model.replies.push({ say: ['Hel'], hang: true })
  const asked = ask({ signal: controller.signal })
  while (asked.heard.length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  controller.abort()
  await expect(asked.answer).rejects.toBe(STOPPED)
  const second = new AbortController()
  model.replies.push({ status: 503 })
  const pausing = ask({ signal: second.signal, timing: { retryMs: 10_000 } })
  while (pausing.retries() === 0) await new Promise((resolve) => setTimeout(resolve, 5))
  second.abort()
  await expect(pausing.answer).rejects.toBe(STOPPED)
})

test('a server that does not know a field is asked without it from then on', async () => {
  model.replies.push({ status: 400, body: '{"error":{"message":"Unknown parameter: stream_options"}}' }, { status: 400, body: '{"error":"model-a does not support tools"}' }, { say: ['fine'] })
  expect((await ask().answer).text).toBe('fine')
  expect(model.asked.map(({ body }) => [body.stream_options !== undefined, body.tools !== undefined])).toEqual([[true, true], [false, true], [false, false]])
})

test('nobody listens', async () => {
  await model.close()
  expect((await failure(ask())).code).toBe('unreachable')
})

test('the models of the server', async () => {
  model.models.push('model-a', ...Array.from({ length: MODELS_MAX }, (_, n) => `m${n}`))
  const names = await ask().client.models()
  expect([names.length, names.slice(0, 3)]).toEqual([MODELS_MAX, ['model-a', 'model-b', 'm0']])
  expect(model.asked.at(-1)?.path).toBe('/v1/models')
})

test('words of a refusal hold no key and no page', () => {
  expect(detailOf({ error: { message: `bad ${KEY}\n and gsk-abcdefgh` } }, KEY)).toBe('bad *** and ***')
  expect([detailOf('<html>', null), detailOf({ error: 7 }, null), detailOf(null, null), detailOf('plain', null)]).toEqual(['', '', '', 'plain'])
  expect([retryAfterMs('2', 0), retryAfterMs('Thu, 01 Jan 1970 00:00:05 GMT', 2_000), retryAfterMs('soon', 0), retryAfterMs('-1', 0), retryAfterMs(null, 0)]).toEqual([2_000, 3_000, null, null, null])
})
