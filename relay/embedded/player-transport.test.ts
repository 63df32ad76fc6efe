import { expect, test } from 'vitest'
import { createSeededChance } from '#tests/world/seeded-chance.ts'
import { createVirtualClock } from '#tests/world/virtual-clock.ts'
import { createPlayerTransport } from './player-transport.ts'

function open() {
  const clock = createVirtualClock()
  const transport = createPlayerTransport({ clock, chance: createSeededChance(3) })
  const seen: string[] = []
  const socket = transport.openGateway({
    onOpen: () => { seen.push('open') },
    onFrame: (text) => { seen.push(JSON.parse(text).params?.type ?? 'reply') },
    onClose: ({ code }) => { seen.push(`close ${code}`) },
  })
  return { clock, transport, seen, socket }
}

test('onOpen comes before the first frame, onClose exactly once', async () => {
  const { clock, seen, socket, transport } = open()
  expect(seen).toEqual([])
  await clock.advance(5)
  expect(seen).toEqual(['open', 'gateway.ready'])
  socket.close()
  socket.close()
  socket.send('{"id":1,"method":"session.list"}')
  transport.close()
  await clock.advance(50)
  expect(seen).toEqual(['open', 'gateway.ready', 'close 1000'])
  expect(clock.pending()).toBe(0)
})

test('a killed host cuts the line and refuses the next one', async () => {
  const { clock, seen, transport } = open()
  await clock.advance(5)
  transport.host.kill()
  await clock.advance(5)
  expect(seen.at(-1)).toBe('close null')
  const later: string[] = []
  transport.openGateway({ onOpen: () => { later.push('open') }, onFrame: () => { later.push('frame') }, onClose: ({ code }) => { later.push(`close ${code}`) } })
  const asked = transport.request({ method: 'GET', path: '/api/status', timeoutMs: 1_000 })
  await clock.advance(5)
  expect(later).toEqual(['close null'])
  expect(await asked).toEqual({ kind: 'unreachable', reason: 'the host is down' })
})

test('REST answers as JSON text, later, and says when it would be too large', async () => {
  const { clock, transport } = open()
  const [status, small, unknown] = [
    transport.request({ method: 'GET', path: '/api/status', timeoutMs: 1_000 }), transport.request({ method: 'GET', path: '/api/status', timeoutMs: 1_000, bytesMax: 10 }),
    transport.request({ method: 'GET', path: '/api/nothing?x=1', timeoutMs: 1_000 }),
  ]
  await clock.advance(5)
  expect(await status).toMatchObject({ kind: 'answer', status: 200, contentType: 'application/json' })
  expect(await small).toEqual({ kind: 'too_large' })
  expect(await unknown).toMatchObject({ status: 404, body: '{"detail":"No such API endpoint: /api/nothing"}' })
})
