/** Contract api-server.md 10.5. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { feedTags, finishTags, type SpokenPiece, startTags } from './reasoning-tags.ts'

function read(chunks: readonly string[], onlyAtStart = false): SpokenPiece[] {
  let state = startTags(onlyAtStart)
  const out: SpokenPiece[] = []
  const put = (pieces: readonly SpokenPiece[]): void => { for (const piece of pieces) { const last = out.at(-1); if (last?.kind === piece.kind) last.text += piece.text; else out.push({ ...piece }) } }
  for (const chunk of chunks) { const fed = feedTags(state, chunk); state = fed.state; put(fed.pieces) }
  put(finishTags(state))
  return out
}
const brief = (pieces: readonly SpokenPiece[]): string => pieces.map(({ kind, text }) => `${kind === 'text' ? 'T' : 'R'}(${text})`).join('')

test.each([
  ['a<think>b</think>c', 'T(a)R(b)T(c)'],
  ['<thinking>b</thinking>c', 'R(b)T(c)'],
  ['<think>never closed', 'R(never closed)'],
  ['a < b, <thin ice> and <b>', 'T(a < b, <thin ice> and <b>)'],
  ['<think>a</thinking>b</think>c', 'R(a</thinking>b)T(c)'],
  ['ends in <thi', 'T(ends in <thi)'],
  ['<think>a</thi', 'R(a</thi)'],
])('%s', (text, pieces) => { expect(brief(read([text]))).toBe(pieces) })

test.each([
  ['an answer may speak of it', 'Hello <think>no</think>', 'T(Hello <think>no</think>)'],
  ['thinking first', '\n<think>\nHm < 3\n</think>\n\nHello', 'R(\nHm < 3\n)T(Hello)'],
  ['never closed', '<think>Hm </thi', 'R(Hm </thi)'],
  ['only begun', ' <thi', 'T( <thi)'],
  ['nothing after', '<think>Hm</think>\n', 'R(Hm)'],
])('of a bare model, %s', (_name, text, pieces) => { expect(brief(read([text], true))).toBe(pieces) })

test('every split gives the same, and no piece of a tag is shown as words', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom('words ', '<think>', '</think>', '<thinking>', '</thinking>', '<', '>', '<thi', ' ', '\n', 'é'), { maxLength: 20 }), fc.boolean(), (parts, onlyAtStart) => {
    const text = parts.join('')
    expect(brief(read([...text], onlyAtStart))).toBe(brief(read([text], onlyAtStart)))
  }), { seed: 20_261_201, numRuns: 300 })
})
