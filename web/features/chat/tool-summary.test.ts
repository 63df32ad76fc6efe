import { expect, test } from 'vitest'
import { toolSummary } from './tool-summary.ts'

test.each([
  ['{"command":"df -h\\n  /tank"}', 'Running df', 'df -h /tank'], ['{"limit":3,"name":"x"}', null, 'x'], ['{"limit":3}', 'Counting', 'Counting'], ['plain words', null, 'plain words'], [null, 'Thinking', 'Thinking'], [null, null, ''],
])('%s, %s', (args, caption, said) => expect(toolSummary({ args, caption })).toBe(said))
