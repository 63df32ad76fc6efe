/** Real lines of pip: the bar only goes forward, and a failure is pip's own sentence without the password of an index. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { failureLine, type InstallProgress, LINE_CHARS_MAX, STEPS_AFTER_DOWNLOAD, stepProgress } from './pip-progress.ts'

const begin: InstallProgress = { phase: 'venv', done: 0, total: 12, line: '' }
const LINES = [
  'Looking in links: /opt/wheels', 'Collecting hermes-agent[sms,web]==0.19.0', '  Downloading hermes_agent-0.19.0-py3-none-any.whl (10.1 MB)', 'Collecting openai==2.24.0 (from hermes-agent[sms,web]==0.19.0)',
  '  Using cached openai-2.24.0-py3-none-any.whl (1.1 MB)', 'Requirement already satisfied: pip in ./lib', 'Installing collected packages: pytz, openai, hermes-agent', 'Successfully installed hermes-agent-0.19.0 openai-2.24.0',
]
function run(lines: readonly string[], packages = 10): InstallProgress[] {
  const all = [begin]
  for (const line of lines) all.push(stepProgress(all.at(-1) as InstallProgress, line, packages))
  return all
}

test('what pip says becomes words and steps', () => {
  const seen = run(LINES)
  expect(seen.map(({ phase, done }) => `${phase} ${done}`)).toEqual(['venv 0', 'venv 0', 'download 1', 'download 1', 'download 2', 'download 2', 'download 2', 'install 10', 'install 11'])
  expect(seen.map(({ line }) => line)).toEqual(['', '', 'Fetching hermes-agent', 'Fetching hermes_agent (10.1 MB)', 'Fetching openai', 'Fetching openai (1.1 MB)', 'Fetching openai (1.1 MB)', 'Unpacking 3 packages', 'All packages are installed'])
  expect(seen[2]?.total).toBe(10 + STEPS_AFTER_DOWNLOAD)
})
test('whatever comes, it never goes back or beyond its end, and a line stays short', () => {
  const line = fc.oneof(fc.constantFrom(...LINES), fc.string({ maxLength: 400 }), fc.string({ maxLength: 400 }).map((name) => `Collecting a${name}`))
  fc.assert(fc.property(fc.array(line, { maxLength: 60 }), (lines) => {
    const seen = run(lines)
    const downloads = seen.filter(({ phase }) => phase !== 'venv')
    for (const [index, { done, total }] of downloads.entries()) {
      expect(done).toBeLessThan(total)
      if (index > 0 && downloads[index - 1]?.phase === 'download') expect(done).toBeGreaterThanOrEqual(downloads[index - 1]?.done as number)
    }
    for (const one of seen) expect(one.line.length).toBeLessThanOrEqual(LINE_CHARS_MAX + 20)
  }))
})
test('why it failed', () => {
  expect(failureLine(['Collecting x', 'ERROR: Could not find a version that satisfies the requirement x', 'ERROR: No matching distribution found for x', 'notice'])).toBe('No matching distribution found for x')
  expect(failureLine(['ERROR: 401 for https://me:canary@index.example/simple'])).toBe('401 for https://index.example/simple')
  expect([failureLine(['only this', '']), failureLine([])]).toEqual(['only this', 'pip said nothing.'])
  expect(failureLine([`ERROR: ${'x'.repeat(999)}`])).toHaveLength(LINE_CHARS_MAX)
})
