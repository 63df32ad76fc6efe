/** Contract api-server.md 1.5. */
import { expect, test } from 'vitest'
import { apiErrorWords, ERROR_CHARS_MAX, readApiError } from './api-error.ts'

test.each([
  ['{"error":{"message":"Run not found: r","type":"invalid_request_error","param":null,"code":"run_not_found"}}', 'run_not_found', 'Run not found: r'],
  ['{"error":"Unknown or unconfigured profile"}', null, 'Unknown or unconfigured profile'],
  ['{"detail":"Session not found"}', null, 'Session not found'],
  ['404: Not Found', null, '404: Not Found'],
  ['"words"', null, 'words'], ['', null, ''], ['[1]', null, ''], ['{"error":{"message":5}}', null, ''],
])('%s', (body, code, message) => { expect(readApiError(404, body)).toEqual({ status: 404, code, message, retryAfterS: null }) })

test('one line: number, code, words, and a pause of at most a minute', () => {
  expect(apiErrorWords(readApiError(503, '{"error":{"message":"Draining","code":"gateway_draining"}}', '20'))).toBe('API error 503: gateway_draining: Draining (Retry-After: 20s)')
  expect(apiErrorWords(readApiError(403, '', '61'))).toBe('API error 403')
  expect(apiErrorWords(readApiError(500, 'bad', 'soon'))).toBe('API error 500: bad')
  expect(readApiError(500, 'x'.repeat(ERROR_CHARS_MAX + 5)).message).toHaveLength(ERROR_CHARS_MAX)
})
