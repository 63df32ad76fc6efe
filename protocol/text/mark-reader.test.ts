/** Vectors: contract api-server.md 10.1 to 10.4. */
import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { CARD_ACTIONS_MAX, CARD_CHARS_MAX, CARD_FIELDS_MAX, readCardLine } from './card-line.ts'
import { feedMarks, finishMarks, type Mark, MARKS_MAX, OPEN_TOOLS_MAX, readMarks, shownText, startMarks } from './mark-reader.ts'
import { MEDIA_PATH_MAX, MEDIA_PER_LINE_MAX, readMediaLine } from './media-line.ts'

const inChunks = (chunks: readonly string[], readsTools = false) => finishMarks(chunks.reduce(feedMarks, startMarks(readsTools)))
const brief = (marks: readonly Mark[]): string[] => marks.map((mark) => (mark.kind === 'media' ? (mark.source.kind === 'token' ? `token ${mark.source.token}` : `path ${mark.source.path}`) : mark.kind === 'card' ? `card ${mark.card.type}` : `${mark.tool} ${mark.phase}`))

const CARD = 'CARD:{"type":"weather","id":"w1"}'
const VECTORS: readonly [string, readonly string[], string, readonly string[]][] = [
  ['T1', ['Done.\nMED', 'IA:/srv/out/a', '.png\nAnything else?'], 'Done.\nAnything else?', ['path /srv/out/a.png']],
  ['T2', ['Here it is\nMEDIA:hermes-relay://tok_1'], 'Here it is', ['token tok_1']],
  ['T3', ['```\nMEDIA:/srv/x.png\nCARD:{"type":"weather"}\n```\n', 'ok'], '```\nMEDIA:/srv/x.png\nCARD:{"type":"weather"}\n```\nok', []],
  ['T4', ['MEDIA:/srv/x.png\nMEDIA:/srv/x.png\n'], '', ['path /srv/x.png']],
  ['T5', [`${CARD}\n`, 'mid\n', `${CARD}\n`, 'CARD:{broken\n', 'CARD:{"type":5}'], 'mid\nCARD:{broken\nCARD:{"type":5}', ['card weather']],
  ['T6', ['A\n\nMEDIA:/srv/x.png\n\nB'], 'A\n\n\nB', ['path /srv/x.png']],
  ['T7', ['~~~\n```\nMEDIA:/srv/in.png\n~~~\nMEDIA:/srv/out.png\n'], '~~~\n```\nMEDIA:/srv/in.png\n~~~', ['path /srv/out.png']],
]
test.each(VECTORS)('%s', (_name, chunks, text, marks) => {
  const read = inChunks(chunks)
  expect([read.text, brief(read.marks)]).toEqual([text, marks])
})

const LINES: readonly [string, readonly string[] | null][] = [
  ['MEDIA:/srv/out/chart.png', ['/srv/out/chart.png']],
  ['  MEDIA:hermes-relay://aB3_-xyz  ', ['aB3_-xyz']],
  ['`MEDIA:/srv/report.csv.`', ['/srv/report.csv']],
  ['**MEDIA:D:\\out\\a.png**, MEDIA:/srv/second file.pdf', ['D:\\out\\a.png', '/srv/second file.pdf']],
  ['MEDIA:/srv/a(1).png', ['/srv/a(1).png']],
  ['_MEDIA:/srv/snake_._', ['/srv/snake']],
  ['MEDIA:/srv/a.pngMEDIA:/srv/b.png', ['/srv/a.png', '/srv/b.png']],
  ['Here: MEDIA:/srv/a.png', null], ['- MEDIA:/srv/a.png', null], ['MEDIA:relative/a.png', null], ['MEDIA:', null], ['MEDIA:https://x.test/a.png', null], ['MEDIA:hermes-relay://bad token', null],
]
test.each(LINES)('a line of media: %s', (line, hits) => { expect(readMediaLine(line)?.map((source) => (source.kind === 'token' ? source.token : source.path)) ?? null).toEqual(hits) })

test('a card is an object with a type on a line of its own; what is broken stays text, what is unknown has its default', () => {
  expect(readCardLine('CARD:{"type":"weather","title":"Oslo"}')?.card).toMatchObject({ type: 'weather', title: 'Oslo', accent: 'info', fields: [], actions: [] })
  expect(readCardLine('  CARD:{"type":"x","fields":[{"label":"a","value":"}"}]} ')?.card.fields).toEqual([{ label: 'a', value: '}' }])
  for (const line of ['text CARD:{"type":"x"}', 'CARD: {"type":"x"}', 'CARD:{bad json}', 'CARD:{"type":5}', 'CARD:{"type":"ask.approval"}', `CARD:{"type":"${'x'.repeat(CARD_CHARS_MAX)}"}`]) expect(readCardLine(line), line.slice(0, 40)).toBeNull()
  expect(readCardLine('CARD:{"type":"x","accent":"pink","title":7,"extra":1,"fields":[{"label":"l"},null],"actions":[{"label":"Go","value":"v","mode":"shell","style":9},"no"]}')?.card)
    .toEqual({ type: 'x', id: null, title: null, subtitle: null, body: null, footer: null, accent: 'info', fields: [], actions: [{ label: 'Go', value: 'v', style: 'secondary', mode: 'send_text' }] })
})

test('tools told in words: whole lines with a sign, in sequence', () => {
  const lines = ['`💻 terminal`', '`💻 terminal`', '`🔍 Python docs`', '`❌ Python docs`', '`✅ never_started`', '🔧 Running: web_search', '✅ Completed: web_search', '❌ Failed: ghost', 'Use `git status` to check', '`git status`', '⏳ Running terminal', 'I was 🔧 Running: tests', '`⚠️ terminal`']
  const read = readMarks(lines.join('\n'), true)
  expect(read.text).toBe('❌ Failed: ghost\nUse `git status` to check\n`git status`\nI was 🔧 Running: tests')
  expect(brief(read.marks)).toEqual(['terminal started', 'terminal completed', 'Python docs started', 'Python docs failed', 'web_search started', 'web_search completed', 'terminal started', 'terminal failed'])
  expect(readMarks(lines.join('\n')).marks).toEqual([])
  expect(brief(readMarks('🛠️ Running: tests', true).marks)).toEqual(['tests started', 'tests completed'])
})

const PIECES = ['words ', '\n', '\n\n', 'MEDIA:/srv/x.png', 'MEDIA:/a.png, MEDIA:/b.pdf', 'MEDIA:nowhere', 'MED', 'IA:', CARD, 'CARD:{broken', '```', '~~~', '`💻 terminal`', '✅ Completed: terminal', '**', ' ', '🔧']
test('every split gives the same; nothing that is shown is taken back, and no mark flashes', () => {
  fc.assert(fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }), fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 40 }), fc.boolean(), (pieces, cuts, readsTools) => {
    const text = pieces.join('')
    let state = startMarks(readsTools)
    let shown = ''
    for (let at = 0, index = 0; at < text.length; index += 1) {
      const to = at + (cuts[index % cuts.length] ?? 1)
      state = feedMarks(state, text.slice(at, to))
      at = to
      const now = shownText(state)
      expect(now.startsWith(shown) || shown.startsWith(now)).toBe(true)
      const lastLine = now.slice(now.lastIndexOf('\n') + 1)
      if (state.fence === null && now !== state.prose) expect(lastLine).not.toMatch(/^[\s`*_~]*MEDIA:|^\s*CARD:\{/)
      shown = now
    }
    expect(finishMarks(state)).toEqual(readMarks(text, readsTools))
  }), { seed: 20_261_201, numRuns: 400 })
})

test('bounds: rows and buttons of a card; what is beyond is left out', () => {
  const many = (n: number) => Array.from({ length: n }, (_, at) => ({ label: `l${at}`, value: 'v' }))
  const card = readCardLine(`CARD:${JSON.stringify({ type: 'x', fields: many(CARD_FIELDS_MAX + 1), actions: many(CARD_ACTIONS_MAX + 1) })}`)?.card
  expect([card?.fields.length, card?.actions.length, card?.fields.at(-1)?.label]).toEqual([CARD_FIELDS_MAX, CARD_ACTIONS_MAX, `l${CARD_FIELDS_MAX - 1}`])
})

test('bounds: files of a line, a path, marks of a message, tools at once; what is beyond stays text', () => {
  expect(readMediaLine('MEDIA:/a '.repeat(MEDIA_PER_LINE_MAX))).toHaveLength(MEDIA_PER_LINE_MAX)
  expect(readMediaLine('MEDIA:/a '.repeat(MEDIA_PER_LINE_MAX + 1))).toBeNull()
  expect(readMediaLine(`MEDIA:/${'a'.repeat(MEDIA_PATH_MAX)}`)).toBeNull()
  const many = readMarks(Array.from({ length: MARKS_MAX + 2 }, (_, n) => `MEDIA:/srv/${n}.png`).join('\n'))
  expect([many.marks.length, many.text.split('\n').length]).toEqual([MARKS_MAX, 2])
  expect(readMarks(Array.from({ length: OPEN_TOOLS_MAX + 1 }, (_, n) => `🔧 Running: tool_${n}`).join('\n'), true).text).toBe(`🔧 Running: tool_${OPEN_TOOLS_MAX}`)
})
