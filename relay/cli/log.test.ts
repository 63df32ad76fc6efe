/** Canaries through the log: a token, a code, a prompt, an answer, in facts, in errors, in causes. */
import { expect, test } from 'vitest'
import { Refused } from '#protocol/refusal/refusal.ts'
import { systemChance } from '../clock/clock.ts'
import { createLog, type LogLevel } from './log.ts'

function recorded(level: LogLevel = 'debug') {
  const lines: string[] = []
  return { lines, log: createLog(level, { write: (line) => void lines.push(line) }) }
}

test('tokens and codes are redacted wherever they hide, prompts and answers are lengths', () => {
  const { lines, log } = recorded()
  const token = systemChance.token(32)
  const prompt = 'canary prompt: where did I bury it'
  let parseError: unknown
  try {
    JSON.parse(`{${prompt}`)
  } catch (error) {
    parseError = error
  }
  log.error('crash', { error: new Error(`Bearer ${token}`, { cause: parseError }), reason: `GET /api/ws?token=${token}`, text: prompt, answer: 'canary', payload: { prompt } })
  log.warn('odd', { error: parseError, note: `claim=ABC123&x`, header: `authorization: Bearer ${token}`, plain: token })
  log.error('lines', { error: new Error(`first\n    at canary, in the garden`) })
  log.info('refused', { error: new Refused('store_full', {}, new Error(prompt)) })
  const text = lines.join('')
  for (const secret of [token, 'canary', 'bury', 'ABC123']) expect(text).not.toContain(secret)
  expect(JSON.parse(lines[0]!)).toMatchObject({ text_length: prompt.length, error: { name: 'Error', message_length: expect.any(Number), cause: { name: 'SyntaxError' } } })
  expect(JSON.parse(lines[3]!)).toMatchObject({ error: { code: 'store_full', message: expect.stringContaining('disk') } })
})
test('what helps stays: events, numbers, ids, stack frames of our files', () => {
  const { lines, log } = recorded()
  log.info('listening', { port: 8767, socket_id: '0f3c4a52-5a60-4c4e-9a39-0b7f2d9e7b11', error: new Error('x') })
  expect(JSON.parse(lines[0]!)).toMatchObject({ msg: 'listening', port: 8767, socket_id: '0f3c4a52-5a60-4c4e-9a39-0b7f2d9e7b11', error: { stack: expect.arrayContaining([expect.stringContaining('log.test.ts')]) } })
})
test('levels are kept', () => {
  const { lines, log } = recorded('error')
  log.warn('quiet')
  log.error('loud')
  expect(lines).toHaveLength(1)
})
