import { expect, test } from 'vitest'
import type { LinkState } from '#web/net/relay/relay-socket.ts'
import { connectionWords } from './connection-words.ts'

const OPEN = { kind: 'open', welcome: { hermes: { ready: true } } } as LinkState
test('a device without a network is never called connected, though its socket has not noticed yet', () => {
  expect(connectionWords(OPEN, true).text).toBe('connected')
  expect(connectionWords(OPEN, false).text).toBe('this device is offline')
})
