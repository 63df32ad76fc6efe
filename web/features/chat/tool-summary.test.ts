import { expect, test } from 'vitest'
import { saysAll, toolSummary } from './tool-summary.ts'

test.each([
  ['{"command":"df -h\\n  /tank"}', 'Running df', 'df -h /tank'], ['{"limit":3,"name":"x"}', null, 'x'], ['{"limit":3}', 'Counting', 'Counting'], ['plain words', null, 'plain words'], [null, 'Thinking', 'Thinking'], [null, null, ''],
])('%s, %s', (args, caption, said) => expect(toolSummary({ args, caption })).toBe(said))

test.each([
  ['{"command":"ls"}', 'ls', true], ['{"command":"ls\\nls"}', 'ls ls', false], ['{"command":"ls","timeout":4}', 'ls', false], ['ls', 'ls', true], ['"ls"', 'ls', true],
  [`{"command":"${'x'.repeat(65)}"}`, 'x'.repeat(65), false], ['{}', '', false],
])('%s is said by "%s": %s', (args, line, expected) => { expect(saysAll(args, line)).toBe(expected) })
