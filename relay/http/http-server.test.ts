import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { answerClientError } from './http-server.ts'

function answered(code: string, bytesRead: number): { said: string; destroyed: boolean } {
  const socket = Object.assign(new PassThrough(), { bytesRead })
  answerClientError(Object.assign(new Error(code), { code }), socket)
  return { said: String(socket.read() ?? ''), destroyed: socket.destroyed }
}

test('a connection that a browser opened in advance is closed without a word: it would be read as the answer to its next request', () => {
  expect(answered('ERR_HTTP_REQUEST_TIMEOUT', 0)).toEqual({ said: '', destroyed: true })
  expect(answered('HPE_INVALID_EOF_STATE', 0)).toEqual({ said: '', destroyed: true })
  expect(answered('ERR_HTTP_REQUEST_TIMEOUT', 40)).toEqual({ said: '', destroyed: true })
})

test('what is no HTTP is told so', () => {
  expect(answered('HPE_INVALID_METHOD', 20).said).toMatch(/^HTTP\/1\.1 400 /)
  expect(answered('HPE_HEADER_OVERFLOW', 20_000).said).toMatch(/^HTTP\/1\.1 413 /)
})
