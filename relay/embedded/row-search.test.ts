/** What a search finds in a row, and the piece that is shown of it. */
import { expect, test } from 'vitest'
import { createSearch, type SearchedRow } from './row-search.ts'

const said = (content: string): SearchedRow => ({ role: 'assistant', content, tool_name: null, tool_calls: null })
const called = (content: string, ...args: unknown[]): SearchedRow => ({ ...said(content), tool_calls: args.map((one) => ({ id: 'x', type: 'function', function: { name: 'terminal', arguments: typeof one === 'string' ? one : JSON.stringify(one) } })) })
const result = (content: string): SearchedRow => ({ role: 'tool', content, tool_name: 'terminal', tool_calls: null })
const find = (query: string, row: SearchedRow): string | null => (createSearch(query).fits(row) ? createSearch(query).snippet(row) : null)

test.each([
  ['a word, whatever its case', 'DRAWER', said('In the drawer.'), 'In the >>>drawer<<<.'],
  ['the beginning of one', 'toma', said('plant tomatoes'), 'plant >>>toma<<<toes'],
  ['letters of other scripts', 'ÄPFEL 大别山', said('Große Äpfel am 大别山'), 'Große >>>Äpfel<<< am >>>大别山<<<'],
  ['signs as they are', '1.5+(a|b)', said('x 1.5+(a|b) y'), 'x >>>1.5+(a|b)<<< y'],
  ['not what signs could mean', '1.5', said('1x5'), null],
  ['all words, in any order', 'tomatoes plant', said('plant the tomatoes'), '>>>plant<<< the >>>tomatoes<<<'],
  ['not some of them', 'tomatoes roses', said('plant the tomatoes'), null],
  ['words together first, over any blank', 'b c', said('b and c, then b\nc'), '>>>b<<< and >>>c<<<, then >>>b\nc<<<'],
  ['the command of a call', 'npm run', called('I build.', { command: 'cd app && npm run build' }), 'I build. terminal cd app && >>>npm run<<< build'],
  ['a command with signs that JSON writes differently', 'echo "hi"', called('', { command: 'echo "hi"\nls' }), 'terminal >>>echo "hi"<<<\nls'],
  ['values deep in the arguments, and numbers', '8080', called('', { a: [{ port: 8080 }] }), 'terminal >>>8080<<<'],
  ['arguments that are no JSON', 'half', called('', '{"command":"half'), 'terminal {"command":">>>half<<<'],
  ['the tool', 'terminal', result('{"output":"x"}'), 'x >>>terminal<<<'],
  ['a result', 'permission denied', result('{"output":"sh: Permission denied","exit_code":1,"error":null}'), 'sh: >>>Permission denied<<< 1 terminal'],
  ['not the names around it', 'error', result('{"output":"x","error":null}'), null],
  ['a result with words behind its JSON', 'hint', result('{"output":"x"}\n\nhint: y'), '{"output":"x"}\n\n>>>hint<<<: y terminal'],
])('%s', (_what, query, row, snippet) => expect(find(query, row)).toBe(snippet))

test('a long text is shown around its first hit', () => {
  expect(find('needle', result(JSON.stringify({ output: `${'a'.repeat(200_000)} needle ${'b'.repeat(200_000)}` })))).toBe(`${'a'.repeat(39)} >>>needle<<< ${'b'.repeat(39)}`)
})
test('what is looked for quickly first is in every row that fits', () => {
  expect(['Say "Hello_1" now', '%%', 'Äpfel', 'x'].map((query) => createSearch(query).plain)).toEqual(['hello_1', '', 'pfel', 'x'])
})
