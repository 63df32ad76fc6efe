/** Each rule of the fence is seen to fail on a violation that was put in. */
import { expect, test } from 'vitest'
import { checkHouse, LINES_MAX, TEST_LINES_MAX } from './house/house-rules.ts'

const READMES: [string, string][] = ['protocol', 'web', 'web/core', 'web/features', 'web/net', 'relay', 'relay/lease', 'relay/http'].map((room) => [`${room}/README.md`, '# room'])
const rulesBroken = (...files: [string, string][]): string[] => [...new Set(checkHouse(new Map([...READMES, ...files])).map((violation) => violation.rule))]

test('a house in order breaks no rule', () => {
  expect(rulesBroken(['protocol/a.ts', "import { b } from './b.ts'\n"], ['protocol/b.ts', 'export const b = 1\n'])).toEqual([])
})

const VIOLATIONS: { name: string; rule: string; files: [string, string][] }[] = [
  { name: 'protocol imports the relay', rule: 'imports', files: [['protocol/a.ts', "import { x } from '#relay/lease/lease.ts'\n"]] },
  { name: 'the page imports the relay', rule: 'imports', files: [['web/core/a.ts', "import type { x } from '../../relay/lease/lease.ts'\n"]] },
  { name: 'a core imports the page around it', rule: 'imports', files: [['web/core/a.ts', "import { x } from '#web/net/relay/relay-socket.ts'\n"]] },
  { name: 'the two nets know each other', rule: 'imports', files: [['web/net/upstream/a.ts', "import { x } from '../relay/relay-socket.ts'\n"]] },
  { name: 'source imports a fake', rule: 'imports', files: [['relay/lease/a.ts', "import { x } from './journal.fake.ts'\n"]] },
  { name: 'a feature is entered beside its door', rule: 'doors', files: [['web/app.ts', "import { x } from './features/chat/composer.tsx'\n"], ['web/features/chat/composer.tsx', 'export const x = 1\n']] },
  { name: 'classic zod outside the configuration', rule: 'doors', files: [['relay/http/a.ts', "import { z } from 'zod'\n"]] },
  { name: 'Node in protocol', rule: 'doors', files: [['protocol/a.ts', "import { join } from 'node:path'\n"]] },
  { name: 'two files import each other', rule: 'cycles', files: [['protocol/a.ts', "import { b } from './b.ts'\n"], ['protocol/b.ts', "import { a } from './a.ts'\n"]] },
  { name: 'a core reads the clock', rule: 'clocks', files: [['protocol/a.ts', 'export const now = () => Date.now()\n']] },
  { name: 'the lease rolls dice', rule: 'clocks', files: [['relay/lease/lease-core.ts', 'export const dice = () => Math.random()\n']] },
  { name: 'a drawer', rule: 'names', files: [['relay/http/utils.ts', 'export const x = 1\n']] },
  { name: 'a name that is not kebab-case', rule: 'names', files: [['relay/http/RequestGuard.ts', 'export const x = 1\n']] },
  { name: 'a file that is too long', rule: 'sizes', files: [['relay/http/a.ts', '\n'.repeat(LINES_MAX + 1)]] },
  { name: 'a test that is too long', rule: 'sizes', files: [['relay/http/a.test.ts', '\n'.repeat(TEST_LINES_MAX + 1)]] },
  { name: 'markup from a string', rule: 'markup', files: [['web/features/chat/a.tsx', 'export const x = (e: Element) => { e.innerHTML = "a" }\n']] },
  { name: 'a constant inline style', rule: 'markup', files: [['web/features/chat/a.tsx', 'export const x = () => <p style="color: red">a</p>\n']] },
  { name: 'a room without a README', rule: 'readmes', files: [['relay/media/a.ts', 'export const x = 1\n']] },
]

test.each(VIOLATIONS)('found: $name', ({ rule, files }) => {
  expect(rulesBroken(...files)).toContain(rule)
})

test('types alone make no circle', () => {
  expect(rulesBroken(['protocol/a.ts', "import type { B } from './b.ts'\nexport type A = B\n"], ['protocol/b.ts', "import { type A } from './a.ts'\nexport type B = A\n"])).toEqual([])
})
