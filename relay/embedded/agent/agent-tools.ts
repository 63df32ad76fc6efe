/** What the agent can do, as the model is told, and what becomes of each call. A call never throws for what a model wrote; it is told. */
import { createTwoFilesPatch } from 'diff'
import * as z from 'zod/mini'
import { clarifyChoices } from '#protocol/turn/ask.ts'
import { BLOCKED_DENIED, BLOCKED_TIMEOUT } from '../player-asks.ts'
import type { Json } from '../player-core.ts'
import { approve, askPerson } from './agent-asks.ts'
import type { AgentCore, Live, Run } from './agent-core.ts'
import type { ToolCall } from './answer-fold.ts'
import { FileRefused, shownPath } from './confined-folder.ts'
import { cutMiddle } from './prompt-window.ts'
import { COMMAND_CHARS_MAX, OUTPUT_CHARS_MAX } from './run-command.ts'

/** Of a file, so much is told to the model at once, in UTF-16 units. */
export const READ_CHARS_MAX = 60_000
/** Longest diff that is shown, in UTF-16 units. */
export const DIFF_CHARS_MAX = 60_000
/** Edits after which a diff is no longer looked for. */
const DIFF_EDITS_MAX = 4_000
const QUESTION_CHARS_MAX = 4_000

const Path = z.string().check(z.minLength(1))
const Line = z.optional(z.nullable(z.int().check(z.minimum(1))))
/** Characters that a person would not see, or that turn what they see around: nobody could approve such a command knowingly. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/
const Terminal = z.object({ command: z.string().check(z.minLength(1), z.maxLength(COMMAND_CHARS_MAX), z.refine((command) => !UNSEEN.test(command), 'holds characters that cannot be shown to the person; write them as escapes')) })
const ReadFile = z.object({ path: Path, from_line: Line, lines: Line })
const WriteFile = z.object({ path: Path, content: z.string() })
const Clarify = z.object({ question: z.string().check(z.minLength(1), z.maxLength(QUESTION_CHARS_MAX)), choices: z.optional(z.nullable(z.array(z.string()))) })

export type ToolEnd = { result: Json; /** Shown beside the result. */ diff?: string }
type Context = { core: AgentCore; live: Live; run: Run; args: unknown }
type Tool = { description: string; parameters: object; caption(args: Json): string; run(context: Context): Promise<ToolEnd> | ToolEnd }

const text = (description: string) => ({ type: 'string', description })
const whole = (description: string) => ({ type: 'integer', minimum: 1, description })
const object = (properties: object, required: string[]) => ({ type: 'object', properties, required, additionalProperties: false })
const failed = (error: string): ToolEnd => ({ result: { output: '', error } })
const first = (value: unknown, chars: number): string => (typeof value === 'string' ? value.replace(/\s+/g, ' ').trim().slice(0, chars) : '')

/** What a person may have called off in the meantime is not run. */
async function terminal({ core, live, run, args }: Context): Promise<ToolEnd> {
  const { command } = Terminal.parse(args)
  const verdict = await approve(core, live, run, command)
  if (verdict !== 'allowed') return { result: { output: '', exit_code: -1, error: verdict === 'timeout' ? BLOCKED_TIMEOUT : BLOCKED_DENIED, status: 'blocked' } }
  const { output, exitCode, ended } = await core.parts.runCommand(command, run.controller.signal)
  if (ended === 'stopped') return { result: { output: `${output}\n[Command interrupted]`.trimStart(), exit_code: exitCode, error: null } }
  if (ended === 'timeout') return { result: { output, exit_code: exitCode, error: `The command took longer than ${core.timing.commandMs / 1_000} seconds and was ended.` } }
  return { result: { output, exit_code: exitCode, error: null } }
}

function readFile({ core, args }: Context): ToolEnd {
  const { path, from_line: from, lines: count } = ReadFile.parse(args)
  const content = core.parts.folder.read(path)
  if (content.includes(0)) return failed('That file is not text.')
  const lines = content.toString('utf8').split('\n')
  const start = (from ?? 1) - 1
  const part = lines.slice(start, count ? start + count : undefined).join('\n')
  const isPart = start > 0 || (count ?? 0) > 0
  return { result: { output: cutMiddle(part, READ_CHARS_MAX, () => '[... left out: read it in parts with from_line and lines ...]'), ...(isPart || part.length > READ_CHARS_MAX ? { lines_total: lines.length } : {}), error: null } }
}

function writeFile({ core, args }: Context): ToolEnd {
  const { path, content } = WriteFile.parse(args)
  const { folder } = core.parts
  const before = folder.readIfAny(path)
  const bytes = Buffer.from(content, 'utf8')
  folder.write(path, bytes, `.relay-${core.hex(12)}.tmp`)
  const name = shownPath(folder.root, path)
  return { result: { output: `${before === null ? 'Created' : 'Wrote'} ${name} (${bytes.length} bytes).`, error: null }, diff: diffOf(name, before, content) }
}

function diffOf(name: string, before: Buffer | null, after: string): string {
  if (before?.includes(0)) return `${name}: the old content was not text.`
  const patch = createTwoFilesPatch(before === null ? '/dev/null' : `a/${name}`, `b/${name}`, before?.toString('utf8') ?? '', after, undefined, undefined, { context: 3, maxEditLength: DIFF_EDITS_MAX })
  return cutMiddle((patch ?? `${name}: too much changed to show it.`).replace(/^=+\n/, ''), DIFF_CHARS_MAX, () => '[... left out ...]')
}

async function clarify({ core, live, run, args }: Context): Promise<ToolEnd> {
  const { question, choices } = Clarify.parse(args)
  const offered = clarifyChoices(choices ?? [])
  const answer = await askPerson(core, live, run, 'clarify', { question, choices: offered.length > 0 ? offered : null }, core.timing.clarifyMs)
  if (answer === null || answer === '') return { result: { output: '', question, note: 'The person gave no answer. Decide by yourself and say what you assumed, or stop and ask in words.' } }
  return { result: { output: answer, question } }
}

const TOOLS: Readonly<Record<string, Tool>> = {
  terminal: {
    description: `Run one shell command (sh -c) in the workspace. The person approves each command first. No input can be given to it. It is ended after 120 seconds; at most ${OUTPUT_CHARS_MAX} characters of its output are kept.`,
    parameters: object({ command: text('The command.') }, ['command']), caption: (args) => `Running ${first(args['command'], 80)}`, run: terminal,
  },
  read_file: {
    description: 'Read a text file of the workspace.',
    parameters: object({ path: text('Path, relative to the workspace.'), from_line: whole('First line, from 1.'), lines: whole('How many lines.') }, ['path']),
    caption: (args) => `Reading ${first(args['path'], 80)}`, run: readFile,
  },
  write_file: {
    description: 'Create or replace a text file of the workspace with the given content, as a whole. Missing folders are made.',
    parameters: object({ path: text('Path, relative to the workspace.'), content: text('The whole new content.') }, ['path', 'content']),
    caption: (args) => `Writing ${first(args['path'], 80)}`, run: writeFile,
  },
  clarify: {
    description: 'Ask the person one question and wait for the answer. Use it only when you cannot go on without it.',
    parameters: object({ question: text('The question.'), choices: { type: 'array', items: { type: 'string' }, maxItems: 4, description: 'Answers to choose from, if there are obvious ones.' } }, ['question']),
    caption: (args) => first(args['question'], 80), run: clarify,
  },
}

export const TOOL_SCHEMAS: readonly object[] = Object.entries(TOOLS).map(([name, { description, parameters }]) => ({ type: 'function', function: { name, description, parameters } }))

/** The arguments as an object, or null when the model wrote no JSON object. */
export function argsOf(call: ToolCall): Json | null {
  try {
    const args: unknown = JSON.parse(call.args.trim() === '' ? '{}' : call.args)
    return typeof args === 'object' && args !== null && !Array.isArray(args) ? (args as Json) : null
  } catch {
    return null
  }
}

export const captionOf = (call: ToolCall): string => (Object.hasOwn(TOOLS, call.name) ? TOOLS[call.name]!.caption(argsOf(call) ?? {}) : call.name)

/** Runs one call. Throws only what stops the turn. */
export async function runTool(core: AgentCore, live: Live, run: Run, call: ToolCall): Promise<ToolEnd> {
  const tool = Object.hasOwn(TOOLS, call.name) ? TOOLS[call.name] : undefined
  if (!tool) return failed(`There is no tool "${call.name}". There are: ${Object.keys(TOOLS).join(', ')}.`)
  const args = argsOf(call)
  if (args === null) return failed('The arguments were not a JSON object. Call the tool again with valid JSON.')
  try {
    return await tool.run({ core, live, run, args })
  } catch (error) {
    if (error instanceof FileRefused) return failed(error.message)
    if (error instanceof z.core.$ZodError) return failed(`The arguments do not fit: ${error.issues.map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`).join('; ')}`)
    if ((error as NodeJS.ErrnoException | null)?.syscall !== undefined) return failed(`The system refused: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}.`)
    throw error
  }
}
