/** Has Hermes a model? Against a server that answers as one does. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { createSendHttp } from '#relay/ingress/send-http.ts'
import { hasModel } from './model-look.ts'

const NONE = { tasks: [], main: { provider: '', model: '' } }
const VIRTUAL = { slug: 'moa', authenticated: true, auth_type: 'virtual' }

async function ask(answers: { assigned?: unknown; options?: unknown }) {
  const asked: unknown[] = []
  const server = createServer((request, response) => {
    asked.push([request.url, request.headers['x-hermes-session-token']])
    const body = request.url === '/api/model/auxiliary' ? answers.assigned : answers.options
    response.statusCode = body === undefined ? 500 : 200
    response.end(typeof body === 'string' ? body : JSON.stringify(body ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const has = await hasModel(createSendHttp(`http://127.0.0.1:${(server.address() as AddressInfo).port}`), 'token')
  server.close()
  return { has, asked }
}

test('what its file names is enough; else what it has access to; a virtual one is none', async () => {
  expect(await ask({ assigned: { main: { provider: 'custom:relay', model: 'm' } } })).toEqual({ has: true, asked: [['/api/model/auxiliary', 'token']] })
  expect((await ask({ assigned: { main: { provider: '', model: 'm' } } })).has).toBe(true)
  expect((await ask({ assigned: NONE, options: { providers: [VIRTUAL, { slug: 'a', authenticated: false }] } })).has).toBe(false)
  expect((await ask({ assigned: NONE, options: { providers: [] } })).has).toBe(false)
  expect((await ask({ assigned: NONE, options: { providers: [{ slug: 'openrouter', authenticated: true }, VIRTUAL] } })).has).toBe(true)
})
test('what it does not say is not claimed', async () => {
  for (const answers of [{}, { assigned: 'no json' }, { assigned: { main: {} } }, { assigned: NONE }, { assigned: NONE, options: {} }]) expect((await ask(answers)).has).toBeNull()
})
