/** Words and figures of the page. */
import { expect, test } from 'vitest'
import type { AgentState } from '#protocol/agent/agent-state.ts'
import { isBusy, nowWords, percentOf } from './agent-words.ts'

const demo: AgentState = {
  choice: { kind: 'demo' }, decided_by: 'found', can_change: true, switching: false, failed: null, has_key: false, ollama: null,
  managed: { installed: false, running: false, wanted: false, progress: null, no_model: null }, python: { ok: true, say: 'Python 3.12' },
}

test('each kind says what answers and who decided', () => {
  expect(nowWords(demo)).toMatchObject({ badge: 'demo', tone: 'warn' })
  expect(nowWords({ ...demo, decided_by: 'app', choice: { kind: 'provider', base_url: 'http://127.0.0.1:11434/v1', model: 'qwen' } })).toMatchObject({ title: 'qwen', hint: 'The built-in agent, with a model of 127.0.0.1:11434 · chosen here', tone: 'ok' })
  expect(nowWords({ ...demo, decided_by: 'setting', choice: { kind: 'managed' } })).toMatchObject({ badge: 'starting', hint: expect.stringContaining('set when the relay was started') })
  expect(nowWords({ ...demo, choice: { kind: 'dashboard', url: 'http://127.0.0.1:9119' } })).toMatchObject({ hint: '127.0.0.1:9119 · found on the host' })
})
test('a Hermes without a model says so in its badge', () => {
  const managed = { ...demo.managed, installed: true, running: true }
  expect(nowWords({ ...demo, choice: { kind: 'managed' }, managed })).toMatchObject({ badge: 'running', tone: 'ok' })
  expect(nowWords({ ...demo, choice: { kind: 'managed' }, managed: { ...managed, no_model: { say: 'None.', next: 'Give it one.' } } })).toMatchObject({ badge: 'no model', tone: 'warn' })
})
test('it looks again while something is prepared, and only then', () => {
  const progress = (phase: 'download' | 'ready' | 'failed') => ({ phase, done: 1, total: 4, line: '' })
  expect([demo, { ...demo, switching: true }].map(isBusy)).toEqual([false, true])
  expect((['download', 'ready', 'failed'] as const).map((phase) => isBusy({ ...demo, managed: { ...demo.managed, wanted: true, progress: progress(phase) } }))).toEqual([true, false, false])
  expect([percentOf({ done: 1, total: 3 }), percentOf({ done: 0, total: 0 }), percentOf({ done: 9, total: 3 })]).toEqual([33, 0, 100])
})
