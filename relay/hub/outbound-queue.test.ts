/** Order and bound of the outbound queue. */
import { expect, test } from 'vitest'
import { OutboundQueue, QUEUE_BYTES_MAX } from './outbound-queue.ts'

const frame = (priority: number, text: string, bytes = 1) => ({ priority, text, bytes })

test('a lower number leaves first, within one number the earlier', () => {
  const queue = new OutboundQueue()
  for (const [priority, text] of [[2, 'live 1'], [2, 'live 2'], [0, 'pong 1'], [1, 'pairing'], [0, 'pong 2']] as const) queue.push(frame(priority, text))
  expect(queue.peek()?.text).toBe('pong 1')
  expect(Array.from({ length: 6 }, () => queue.shift()?.text)).toEqual(['pong 1', 'pong 2', 'pairing', 'live 1', 'live 2', undefined])
  expect(queue.bytes).toBe(0)
})

test('refuses exactly beyond QUEUE_BYTES_MAX, and takes again when something left', () => {
  const queue = new OutboundQueue()
  expect(queue.push(frame(2, 'a', QUEUE_BYTES_MAX))).toBe(true)
  expect(queue.push(frame(0, 'b', 1))).toBe(false)
  queue.shift()
  expect(queue.push(frame(0, 'b', 1))).toBe(true)
})

test('a long lane keeps its order through the cut', () => {
  const queue = new OutboundQueue()
  for (let n = 0; n < 5_000; n++) queue.push(frame(2, String(n)))
  for (let n = 0; n < 5_000; n++) expect(queue.shift()?.text).toBe(String(n))
  expect(queue.peek()).toBeNull()
})
