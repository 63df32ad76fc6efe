/** What upstream wrote, and what a person reads. */
import { expect, test } from 'vitest'
import { DETAIL_SHOWN_CHARS_MAX, isShortDetail, turnFailure } from './turn-failure.ts'

const SAYS = {
  long: 'The conversation is too long for this model.', quota: 'The account at the model provider has no quota or credit left.', key: 'The model provider refused the key.',
  rate: 'The model provider takes no more requests now.', model: 'The model provider does not know this model.', server: 'The model provider has a problem.',
  silent: 'The model provider did not answer in time.', gone: 'The model provider cannot be reached.', other: 'The agent could not finish this turn.',
} as const

const VECTORS: readonly [keyof typeof SAYS, string][] = [
  ['key', 'API call failed after 1 retries: HTTP 401: Unauthorized'], ['key', 'HTTP 403: Forbidden'], ['key', "Error code: 401 - {'error': {'message': 'Incorrect API key provided: sk-...'}}"], ['key', 'No API key configured for provider openrouter'], ['key', 'authentication_error: invalid x-api-key'],
  ['rate', 'API call failed after 3 retries: HTTP 429: Too Many Requests'], ['rate', 'Rate limit reached for requests per minute'], ['rate', 'rate_limit_error'],
  ['quota', 'HTTP 429: You exceeded your current quota, please check your plan and billing details.'], ['quota', 'HTTP 402: Insufficient credits'], ['quota', "Error code: 400 - {'error': {'message': 'Your credit balance is too low'}}"],
  ['server', 'API call failed after 1 retries: HTTP 500'], ['server', 'API call failed after 1 retries: HTTP 500: demo error 500'], ['server', 'HTTP/1.1 502 Bad Gateway'], ['server', 'status code: 503'], ['server', 'overloaded_error: Overloaded'], ['server', 'HTTP 504: upstream timed out'], ['server', 'Error: 529'],
  ['gone', 'connect ECONNREFUSED 127.0.0.1:11434'], ['gone', 'Connection error.'], ['gone', 'httpx.ConnectError: All connection attempts failed'], ['gone', 'getaddrinfo EAI_AGAIN api.example.test'], ['gone', '[Errno 111] Connection refused'],
  ['silent', 'Request timed out.'], ['silent', 'ReadTimeout: timed out'], ['silent', 'connect ETIMEDOUT 10.0.0.1:443'],
  ['long', "HTTP 400: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."], ['long', 'context_length_exceeded'], ['long', 'prompt is too long: 210000 tokens > 200000 maximum'], ['long', 'HTTP 413'],
  ['model', 'HTTP 404: model "llama9" not found, try pulling it first'], ['model', 'The model `gpt-9` does not exist or you do not have access to it.'], ['model', 'HTTP 400: invalid model'],
  ['other', 'HTTP 400: demo error 400'], ['other', 'list index out of range'], ['other', 'Read 500 files, then something broke'], ['other', 'Tool loop ended after 90 steps'],
]

test.each(VECTORS)('%s: %s', (kind, words) => {
  const failure = turnFailure(words, false)
  expect([failure.say, failure.detail]).toEqual([SAYS[kind], words])
  expect(failure.next === null).toBe(kind === 'other')
})
test('without words there is a sentence and no detail', () => {
  for (const words of [null, '', ' \n']) expect(turnFailure(words, false)).toEqual({ say: SAYS.other, next: null, detail: null })
})
test('sentences for people stay as they are', () => {
  expect(turnFailure("The model's server refused the key (401). Enter a valid key in the settings of the relay.", true)).toEqual({ say: "The model's server refused the key (401). Enter a valid key in the settings of the relay.", next: null, detail: null })
})
test('no sentence is a cry, and none is upstream\'s own', () => {
  for (const [, words] of VECTORS) {
    const { say, next } = turnFailure(words, false)
    expect(`${say} ${next ?? ''}`).not.toMatch(/!|HTTP|\d{3}|error/i)
  }
})
test('a long detail, or one of several lines, is folded', () => {
  expect([isShortDetail('x'.repeat(DETAIL_SHOWN_CHARS_MAX)), isShortDetail('x'.repeat(DETAIL_SHOWN_CHARS_MAX + 1)), isShortDetail('a\nb')]).toEqual([true, false, false])
})
