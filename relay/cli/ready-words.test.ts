/** The words at the door, one by one. */
import { expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import { alreadyRunningText, goodbyeText, progressText, type Ready, readyJson, readyText, refusedText } from './ready-words.ts'

const ready: Ready = {
  port: 8767, claimCode: 'ABC123', claimUrl: 'http://localhost:8767/app/#claim=ABC123', lanClaimUrl: null, pid: 42, isPageBuilt: true, isLan: false, canPressEnter: true, isInstalling: false, decided: { choice: { kind: 'dashboard', url: 'http://127.0.0.1:9119' }, by: 'found', key: null },
  hermes: { kind: 'dashboard', ready: true, version: '0.19.0', demo: false },
}

test('JSON: exactly one line with exactly these keys', () => {
  const text = readyJson(ready)
  expect(text.split('\n')).toHaveLength(2)
  expect(JSON.parse(text)).toEqual({ url: 'http://localhost:8767', appUrl: 'http://localhost:8767/app/', claimUrl: ready.claimUrl, claimCode: 'ABC123', port: 8767, pid: 42, hermes: { kind: 'dashboard', version: '0.19.0' } })
})
test('people read the link, the code, who controls whom, and whether Hermes was found', () => {
  const text = readyText(ready)
  for (const words of [ready.claimUrl, 'Press Enter', 'Who controls whom', 'found, version 0.19.0']) expect(text).toContain(words)
  const demo = { kind: 'embedded', ready: true, version: null, demo: true } as const
  const none = readyText({ ...ready, hermes: demo, decided: { choice: { kind: 'demo' }, by: 'found', key: null } })
  for (const words of ['demo', '--hermes managed', '--provider <address> --model <name>']) expect(none).toContain(words)
  expect(readyText({ ...ready, hermes: demo, decided: { choice: { kind: 'demo' }, by: 'setting', key: null } })).toContain('as you asked')
  expect(readyText({ ...ready, hermes: demo, isInstalling: true })).toContain('being installed')
  const managed = { ...ready, decided: { choice: { kind: 'managed' as const }, by: 'app' as const, key: null } }
  expect(readyText(managed)).toContain("the relay's own runs, version 0.19.0")
  expect(readyText({ ...managed, hermes: { ...ready.hermes, ready: false } })).toContain('is starting')
  const agent = readyText({ ...ready, decided: { choice: { kind: 'provider', baseUrl: 'http://127.0.0.1:11434/v1', model: 'qwen' }, by: 'found', key: 'sk-canary' } })
  for (const words of ['qwen of 127.0.0.1:11434, which was found here', '--hermes managed']) expect(agent).toContain(words)
  expect(agent).not.toContain('canary')
  expect(readyText({ ...ready, hermes: { ...ready.hermes, ready: false } })).toContain('does not answer yet')
  expect(readyText({ ...ready, isPageBuilt: false })).toContain('npm run build')
  expect(readyText({ ...ready, canPressEnter: false })).not.toContain('Enter')
  const lan = readyText({ ...ready, isLan: true, lanClaimUrl: 'http://192.0.2.5:8767/app/#claim=ABC123' })
  for (const words of ['http://192.0.2.5:8767', 'not encrypted', 'no notifications']) expect(lan).toContain(words)
})
test('an installation: percent and what happens; its end', () => {
  expect(progressText({ phase: 'download', done: 7, total: 28, line: 'Fetching x' })).toBe('Hermes:  25 %  Fetching x')
  expect(progressText({ phase: 'failed', done: 0, total: 0, line: 'No Python was found.' })).toBe('Hermes: No Python was found.')
  expect(progressText({ phase: 'ready', done: 1, total: 1, line: '' })).toContain('running')
})
test('refusals name what is wrong and what to do', () => {
  expect(refusedText(new Refused('port_taken', { port: 8767 }))).toBe('Another program uses this port. (port 8767) Choose another with --port.\n')
  expect(refusedText(new Refused('config_invalid', { key: 'port', source: 'flag --port', allowed: 'a number' }))).toContain('port (flag --port): allowed is a number.')
  expect(alreadyRunningText(1)).toContain('http://localhost:1/app/')
  expect([goodbyeText(0), goodbyeText(1), goodbyeText(3)].map((text) => /go(?:es)? on/.test(text))).toEqual([false, true, true])
})
