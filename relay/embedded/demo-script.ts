/**
 * What the built-in demo says. It is honest: a script, no thought, and nothing is executed on this machine. Directive words at the
 * start of a line show every face of the app; the last line that matches wins. Other text gets a pleasant streamed answer.
 */
import { approvalPayload } from './player-asks.ts'
import { DEMO_MARKDOWN } from './demo-markdown.ts'
import type { AskKind, Json } from './player-core.ts'

export type DemoCall = {
  name: string; args: Json; caption: string; durationMs: number; ask: { kind: AskKind; payload: Json } | null
  /** `answer` is what the person said; `null`: nobody answered, or nothing was asked. */
  result(answer: string | null): Json
  more?: Json
}

export type DemoPlan =
  | { kind: 'round'; waitMs: number; think: string; chunks: string[]; chunkMs: number; calls: DemoCall[] }
  | { kind: 'error'; code: number }
  | { kind: 'hang' }

/** Longest pause and longest answer that a directive may ask for. */
export const DEMO_WAIT_MS_MAX = 600_000
export const DEMO_CHARS_MAX = 2_000_000
export const DEMO_COUNT_MAX = 5_000

export const DEMO_HELP = `I am the **built-in demo**: a script, not a mind. I cannot think, and nothing you write leaves this machine or runs on it.

Begin a line with one of these and I will show you how the app looks:

- \`say: hello\`: a plain answer
- \`count 20\`: words that arrive one by one
- \`long 4000\`: a long answer
- \`markdown\`: every kind of block
- \`think: which way?\`: a thought before the answer
- \`tool: terminal ls\`: one tool step
- \`para: a | b\`, \`chain: a | b\`: several tool steps
- \`ask Which colour?|red|blue\`: a question with choices
- \`ask-open What is your name?\`: a question in your own words
- \`danger\`: a command that waits for your approval
- \`sudo\`, \`secret\`: a password, a secret value
- \`todo\`, \`diff\`: a list, a changed file
- \`error 500\`, \`hang\`, \`slow 3000\`: what goes wrong, and how to stop it`

/** The conversation that is there before the first word. */
export const DEMO_WELCOME = [
  { role: 'user' as const, content: 'Hello! Who are you?' },
  { role: 'assistant' as const, content: DEMO_HELP, finish_reason: 'stop' },
]

const words = (text: string): string[] => text.match(/\s*\S+/g) ?? []
const round = (more: Partial<Extract<DemoPlan, { kind: 'round' }>>): DemoPlan => ({ kind: 'round', waitMs: 250, think: '', chunks: [], chunkMs: 12, calls: [], ...more })
const say = (text: string, more: Partial<Extract<DemoPlan, { kind: 'round' }>> = {}): DemoPlan => round({ chunks: words(text), ...more })
const clamp = (value: string | undefined, fallback: number, max: number): number => Math.min(value === undefined ? fallback : Number(value), max)

function terminal(command: string): DemoCall {
  const slept = /^sleep (\d+(?:\.\d+)?)/.exec(command)?.[1]
  return {
    name: 'terminal', args: { command }, caption: `Running ${command}`, durationMs: slept ? Math.min(Number(slept) * 1_000, DEMO_WAIT_MS_MAX) : 350, ask: null,
    result: () => ({ output: `(demo output: nothing was executed)\n$ ${command}`, exit_code: 0, error: null }),
  }
}

/** Runs only after a person allowed it; the host adds what the approval said. */
const danger = (which: string): DemoCall => {
  const command = `rm -rf ./demo-danger-${which}`
  return { ...terminal(command), ask: { kind: 'approval', payload: approvalPayload(command) }, result: () => ({ output: '(demo: nothing was deleted)', exit_code: 0, error: null }) }
}

function clarify(question: string, choices: string[] | null): DemoCall {
  return {
    name: 'clarify', args: choices ? { question, choices } : { question }, caption: `Asking ${question}`, durationMs: 0, ask: { kind: 'clarify', payload: { question, choices } },
    result: (answer) => ({ question, choices_offered: choices, user_response: answer ?? '' }),
  }
}

const sudo = (): DemoCall => ({
  ...terminal('sudo id'), ask: { kind: 'sudo', payload: {} },
  result: (answer) => ({ output: answer ? '(demo: the password was thrown away)' : '(demo: no password came)', exit_code: answer ? 0 : 1, error: null }),
})

const secret = (): DemoCall => ({
  name: 'skill_view', args: { name: 'demo-skill' }, caption: 'Reading skill demo-skill', durationMs: 100,
  ask: { kind: 'secret', payload: { prompt: 'A value for the demo (it is thrown away)', env_var: 'DEMO_TOKEN', metadata: { skill_name: 'demo-skill', help: 'Any text will do.' } } },
  result: (answer) => ({ success: Boolean(answer), name: 'demo-skill', setup: answer ? 'stored nowhere, this is a demo' : 'skipped' }),
})

const todo = (): DemoCall => {
  const todos = [['Look around', 'completed'], ['Try a directive', 'in_progress'], ['Connect a real Hermes', 'pending']].map(([content, status], at) => ({ id: String(at + 1), content, status }))
  return { name: 'todo', args: { todos }, caption: 'Planning 3 tasks', durationMs: 30, ask: null, result: () => ({ todos }), more: { todos } }
}

const diff = (): DemoCall => ({
  name: 'write_file', args: { path: 'demo.txt', content: 'hello, garden\n' }, caption: 'Writing demo.txt', durationMs: 60, ask: null,
  result: () => ({ bytes_written: 14, note: 'demo: no file was written' }),
  more: { inline_diff: '\u001b[38;2;180;160;255ma/demo.txt → b/demo.txt\u001b[0m\n@@ -1 +1 @@\n\u001b[31m-hello, world\u001b[0m\n\u001b[32m+hello, garden\u001b[0m' },
})

type Directive = readonly [RegExp, (match: RegExpExecArray, atRound: number, results: readonly string[]) => DemoPlan]

const last = (results: readonly string[]): string => (results.at(-1) ?? '').slice(0, 400)
const once = (call: () => DemoCall, label: string) => (_: RegExpExecArray, atRound: number, results: readonly string[]): DemoPlan =>
  atRound === 0 ? round({ calls: [call()] }) : say(`${label}: ${last(results)}`)

const filler = (length: number): string => {
  let text = ''
  for (let line = 0; text.length < length; line += 1) text += `Line ${String(line).padStart(6, '0')} of deterministic demo text.\n`
  return text.slice(0, length)
}
const pieces = (text: string, size: number): string[] => text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []

const DIRECTIVES: readonly Directive[] = [
  [/^say:\s*(.*)$/i, (m) => say(m[1] ?? '')],
  [/^count\s+(\d+)(?:\s+(\d+))?/i, (m) => round({ chunks: Array.from({ length: clamp(m[1], 1, DEMO_COUNT_MAX) }, (_, at) => `${at ? ' ' : ''}${at + 1}`), chunkMs: clamp(m[2], 40, 10_000) })],
  [/^long\s+(\d+)/i, (m) => round({ chunks: pieces(filler(clamp(m[1], 1, DEMO_CHARS_MAX)), 200), chunkMs: 2 })],
  [/^slow(?:\s+(\d+))?/i, (m) => say('A slow demo answer, and here it is.', { waitMs: clamp(m[1], 5_000, DEMO_WAIT_MS_MAX) })],
  [/^markdown\b/i, () => round({ chunks: pieces(DEMO_MARKDOWN, 24), chunkMs: 12 })],
  [/^hang\b/i, () => ({ kind: 'hang' })],
  [/^error\s+(\d{3})/i, (m) => ({ kind: 'error', code: Number(m[1]) })],
  [/^think:\s*(.*)$/i, (m) => say('That was a scripted thought, and this is the demo’s answer.', { think: m[1] || 'A demo pretends to think.' })],
  [/^tool:\s*terminal\s+(.*)$/i, (m, atRound, results) => once(() => terminal(m[1] ?? ''), 'tool result')(m, atRound, results)],
  [/^tool:\s*(\w+)\s*(.*)$/i, (m, atRound, results) => once(() => ({ ...terminal(m[2] ?? ''), name: m[1] ?? 'tool', caption: `${m[1]} ${m[2] ?? ''}`.trim() }), 'tool result')(m, atRound, results)],
  [/^para:\s*(.*)$/i, (m, atRound, results) => (atRound === 0 ? round({ calls: (m[1] ?? '').split('|').map((part) => terminal(part.trim())) }) : say(`tool results: ${results.length}`))],
  [/^chain:\s*(.*)$/i, (m, atRound) => {
    const commands = (m[1] ?? '').split('|').map((part) => part.trim())
    const command = commands[atRound]
    return command === undefined ? say(`chain finished after ${atRound} calls`) : say(`Step ${atRound + 1}: running a command.`, { calls: [terminal(command)] })
  }],
  [/^ask-open\s*(.*)$/i, (m, atRound, results) => once(() => clarify(m[1] || 'What is your name?', null), 'you answered')(m, atRound, results)],
  [/^ask(?:\s+(.*))?$/i, (m, atRound, results) => {
    const [question = '', ...choices] = (m[1] ?? 'Which colour?|red|green|blue').split('|').map((part) => part.trim())
    return once(() => clarify(question, choices.length > 0 ? choices : null), 'you answered')(m, atRound, results)
  }],
  [/^danger(?:\s+(\w+))?/i, (m, atRound, results) => once(() => danger(m[1] ?? '1'), 'danger result')(m, atRound, results)],
  [/^sudo\b/i, once(sudo, 'tool result')],
  [/^secret\b/i, once(secret, 'tool result')],
  [/^todo\b/i, once(todo, 'list')],
  [/^diff\b/i, once(diff, 'file')],
  [/^help\b/i, () => say(DEMO_HELP)],
]

const LISTING = `(demo output: these files do not exist)
garden-plan.md
seeds/tomato.txt
seeds/basil.txt
watering.log`

/** What the demo does in this round of the turn; `results` are the tool results so far. */
export function planDemo(prompt: string, atRound: number, results: readonly string[]): DemoPlan {
  for (const line of prompt.split('\n').map((text) => text.trim()).reverse()) {
    for (const [pattern, plan] of DIRECTIVES) {
      const match = pattern.exec(line)
      if (match) return plan(match, atRound, results)
    }
  }
  if (atRound === 0) {
    return say('I am the built-in demo, so I follow a script. Let me pretend to look around first.', {
      think: 'A demo has no thoughts. This line shows where a real agent’s thinking would appear.', chunkMs: 20,
      calls: [{ ...terminal('ls'), caption: 'Listing files (demo)', durationMs: 600, result: () => ({ output: LISTING, exit_code: 0, error: null }) }],
    })
  }
  const heard = prompt.trim().split('\n')[0]?.slice(0, 120) ?? ''
  return say(
    `You wrote: “${heard}”\n\nI cannot answer that, because **I am a demo and cannot think**. What you saw is real in one way: this text, the thought and the tool step travelled the same road that a real Hermes uses.\n\n- Nothing was executed on this machine.\n- Write \`help\` to see what else I can show.\n- Start Hermes on this machine, then start the relay again: then somebody who can think answers here.`,
    { chunkMs: 20 },
  )
}
