import { expect, test } from 'vitest'
import { createScriptedTransport } from '#tests/world/scripted-transport.ts'
import { createVirtualClock } from '#tests/world/virtual-clock.ts'
import { CALLS_MAX, type CloseInfo, READY_WITHIN_MS, RpcSocket } from './rpc-socket.ts'

function open() {
  const clock = createVirtualClock()
  const transport = createScriptedTransport()
  const seen: { ready: number; events: string[]; requests: string[]; closes: CloseInfo[] } = { ready: 0, events: [], requests: [], closes: [] }
  const socket = new RpcSocket(transport, clock, {
    onReady: () => { seen.ready += 1 },
    onEvent: (event) => seen.events.push(event.type),
    onRequest: (request) => seen.requests.push(`${request.method} ${request.rpcId}`),
    onClose: (info) => seen.closes.push(info),
  })
  const line = transport.sockets[0]
  if (!line) throw new Error('no socket was opened')
  return { clock, socket, line, seen }
}
const event = (type: string) => ({ jsonrpc: '2.0', method: 'event', params: { type, session_id: 'aa00bb11', payload: {} } })

test('nothing is called before gateway.ready; then it declares what it can answer, once', async () => {
  const { socket, line, seen } = open()
  expect(socket.isReady).toBe(false)
  expect(await socket.call('session.list', {}, 100)).toEqual({ kind: 'lost' })
  line.frame(event('message.delta'))
  line.ready()
  line.ready()
  expect(seen).toMatchObject({ ready: 1, events: [] })
  expect(line.sent.map((f) => [f.method, f.params])).toEqual([['client.capabilities', { server_requests: true }]])
})

test('a socket that is not ready in time is given up', async () => {
  const { clock, socket, line, seen } = open()
  await clock.advance(READY_WITHIN_MS - 1)
  expect(seen.closes).toEqual([])
  await clock.advance(1)
  expect(seen.closes).toEqual([{ refusal: null, wasReady: false }])
  expect(line.closed).toBe(true)
  socket.drop()
  expect(seen.closes).toHaveLength(1)
  expect(clock.pending()).toBe(0)
})

test('each call gets its own answer once, whatever the order; an answer that nobody waits for is nothing', async () => {
  const { clock, socket, line } = open()
  line.ready()
  const first = socket.call('session.usage', {}, 1_000)
  const second = socket.call('session.status', {}, 1_000)
  line.frame({ id: line.sent[2]?.id, result: { n: 2 } })
  line.frame({ id: line.sent[2]?.id, result: { n: 3 } })
  line.frame({ id: 'word', result: {} })
  line.frame({ id: 4_711, result: {} })
  line.frame({ id: line.sent[1]?.id, error: { code: 4009, message: 'session busy' } })
  expect(await second).toEqual({ kind: 'ok', result: { n: 2 } })
  expect(await first).toEqual({ kind: 'error', code: 4009, message: 'session busy' })
  expect(clock.pending()).toBe(0)
})

test('a call that is not answered in time drops the socket, and every other call is lost with it', async () => {
  const { clock, socket, line, seen } = open()
  line.ready()
  const quick = socket.call('session.active_list', {}, 500)
  const slow = socket.call('prompt.submit', {}, 1_800_000)
  await clock.advance(500)
  expect([await quick, await slow]).toEqual([{ kind: 'lost' }, { kind: 'lost' }])
  expect(seen.closes).toEqual([{ refusal: null, wasReady: true }])
  expect(await socket.call('session.list', {}, 10)).toEqual({ kind: 'lost' })
  expect(socket.respond('srq-1', {})).toBe(false)
  line.frame(event('message.delta'))
  expect(seen.events).toEqual([])
  expect(clock.pending()).toBe(0)
})

test('the line dies: all calls are lost at once', async () => {
  const { socket, line, seen } = open()
  line.ready()
  const call = socket.call('prompt.submit', {}, 10_000)
  line.die('sign_in')
  expect(await call).toEqual({ kind: 'lost' })
  expect(seen.closes).toEqual([{ refusal: 'sign_in', wasReady: true }])
})

test('more than CALLS_MAX calls do not wait: they are lost at once and never sent', async () => {
  const { socket, line } = open()
  line.ready()
  for (let n = 0; n < CALLS_MAX; n += 1) void socket.call('session.usage', {}, 1_000)
  expect(await socket.call('session.usage', {}, 1_000)).toEqual({ kind: 'lost' })
  expect(line.sent).toHaveLength(CALLS_MAX + 1)
  line.answer('session.usage', {})
  void socket.call('session.usage', {}, 1_000)
  expect(line.sent).toHaveLength(CALLS_MAX + 2)
  socket.drop()
})

test('a server request is never left unanswered', () => {
  const { socket, line, seen } = open()
  line.ready()
  line.frame({ id: 'srq-1', method: 'approval', params: { session_id: 'aa00bb11' } })
  line.frame({ id: 'srq-2', method: 'window.read', params: {} })
  line.frame({ id: 'srq-3', method: 'terminal.read', params: {} })
  expect(seen.requests).toEqual(['approval srq-1'])
  expect(line.sent.slice(1)).toEqual([
    { jsonrpc: '2.0', id: 'srq-2', error: { code: -32601, message: 'method not found: window.read' } },
    { jsonrpc: '2.0', id: 'srq-3', result: { value: '' } },
  ])
  expect(socket.respond('srq-1', { choice: 'deny' })).toBe(true)
  expect(line.sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 'srq-1', result: { choice: 'deny' } })
})

test('several frames in one message are several frames; what cannot be read is skipped', () => {
  const { line, seen } = open()
  line.ready()
  line.text(`${JSON.stringify(event('message.start'))}\n${JSON.stringify(event('message.delta'))}\n`)
  line.text('{"half a frame')
  line.text(JSON.stringify(event('message.complete')))
  expect(seen.events).toEqual(['message.start', 'message.delta', 'message.complete'])
})
