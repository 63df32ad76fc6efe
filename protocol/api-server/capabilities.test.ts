/** Contract api-server.md 2.2, 2.3; the real answer of 0.19.0. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { CHAT_FEATURES, chooseDialect, type Dialect, readFeatures, WANTED_DIALECTS, whyNot } from './capabilities.ts'

const recorded = JSON.parse(readFileSync(new URL('../../tests/contract/fixtures/upstream-0.19.0/rest/api-server.json', import.meta.url), 'utf8')) as { request: { path: string }; body: unknown }[]
const features = readFeatures(recorded.find(({ request }) => request.path === '/v1/capabilities')?.body) ?? new Set<string>()
const newer = new Set([...features, 'run_steer'])

test('0.19.0: what is on, what is off, what is missing', () => {
  for (const name of ['session_chat_streaming', 'run_stop', 'run_approval_response', 'session_continuity_header']) expect(features.has(name), name).toBe(true)
  for (const name of ['cors', 'audio_api', 'run_steer', 'runs_idempotency', 'session_model_lock']) expect(features.has(name), name).toBe(false)
  expect(readFeatures({ object: 'hermes.api_server.capabilities', features: { runs_idempotency: { supported: true, durable: false }, other: { supported: false } } })).toEqual(new Set(['runs_idempotency']))
  for (const body of [null, 'x', {}, { features: {} }, { object: 'hermes.api_server.capabilities', features: [] }]) expect(readFeatures(body)).toBeNull()
})

test.each([
  ['auto', 'ready', true, 'gateway'], ['auto', 'unknown', true, 'gateway'], ['auto', 'absent', true, 'sessions'], ['auto', 'absent', false, null],
  ['gateway', 'absent', true, null], ['sessions', 'ready', true, 'sessions'], ['runs', 'ready', true, 'runs'], ['completions', 'absent', true, 'completions'], ['runs', 'ready', false, null],
] as const)('wanted %s, gateway %s, API server %s: %s', (wanted, gateway, hasApi, dialect) => {
  const chosen = chooseDialect(wanted, { gateway, features: hasApi ? features : null })
  expect(chosen.kind === 'dialect' ? chosen.dialect : null).toBe(dialect)
  if (chosen.kind === 'refused') expect([chosen.say, chosen.next].every((words) => words.endsWith('.'))).toBe(true)
})

test('the best that is there: completions before runs', () => {
  const only = (...names: string[]) => chooseDialect('auto', { gateway: 'absent', features: new Set(names) })
  expect(only('chat_completions_streaming', 'run_submission', 'run_events_sse')).toEqual({ kind: 'dialect', dialect: 'completions' })
  expect(only('run_submission', 'run_events_sse')).toEqual({ kind: 'dialect', dialect: 'runs' })
  expect(WANTED_DIALECTS).toContain('auto')
})

test('every cell is possible or refused in words', () => {
  for (const dialect of ['gateway', 'sessions', 'runs', 'completions'] satisfies Dialect[]) for (const feature of CHAT_FEATURES) expect(whyNot(feature, dialect, features) ?? 'It can.').toMatch(/^[A-Z].*\.$/)
  expect(CHAT_FEATURES.filter((feature) => whyNot(feature, 'sessions', features) !== null)).toEqual(['stop', 'steer', 'approve', 'clarify'])
  expect(CHAT_FEATURES.filter((feature) => whyNot(feature, 'sessions', newer) !== null)).toEqual(['clarify'])
  expect(CHAT_FEATURES.filter((feature) => whyNot(feature, 'runs', features) !== null)).toEqual(['steer', 'clarify', 'thinking', 'own_history', 'send_later'])
  expect(CHAT_FEATURES.filter((feature) => whyNot(feature, 'completions', features) !== null)).toEqual(['steer', 'approve', 'clarify', 'thinking', 'send_later', 'outlive_relay'])
  expect(CHAT_FEATURES.filter((feature) => whyNot(feature, 'gateway', new Set()) !== null)).toEqual([])
})
