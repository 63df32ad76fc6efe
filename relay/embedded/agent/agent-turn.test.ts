/** Turns of the agent through its gateway: a real store, a real workspace, real commands, a scripted model over HTTP. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { BLOCKED_DENIED, BLOCKED_TIMEOUT } from '../player-asks.ts'
import { ROUNDS_MAX, STEERS_MAX } from './agent-core.ts'
import { NO_REPLY } from './agent-turn.ts'
import { type AgentWorld, createAgentWorld, until } from './agent-world.fake.ts'
import { COMMAND_CHARS_MAX, OUTPUT_CHARS_MAX } from './run-command.ts'

vi.setConfig({ testTimeout: 20_000 }) // Real processes and lines on a busy machine; nothing here waits for a time.

let world: AgentWorld
beforeEach(async () => { world = await createAgentWorld() })
afterEach(() => world.end())

const terminal = (command: string) => ({ calls: [{ name: 'terminal', args: { command } }] })
const complete = (n = 0) => world.client.event('message.complete', n)
const results = () => world.client.all('tool.complete').map(({ result }) => result as Record<string, unknown>)
/** What the model was told by the tools, in its last request. */
const told = () => (world.model.asked.at(-1)?.body.messages ?? []).filter(({ role }) => role === 'tool').map(({ content }) => content ?? '')
async function begin(...replies: AgentWorld['model']['replies']) {
  world.model.replies.push(...replies)
  const ids = await world.create()
  await world.submit(ids.live, 'Do it, please')
  return ids
}
/** A dead process that its new parent has not buried yet is dead. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return !/^\s*Z/.test(execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }))
  } catch {
    return false
  }
}
const pidIn = (name: string) => until(`a pid in ${name}`, () => existsSync(join(world.workspace, name)) && Number(readFileSync(join(world.workspace, name), 'utf8')))

test('an answer: the row before the reply, events in their order, usage, the title', async () => {
  world.model.replies.push({ think: ['Hm'], say: ['Hel', 'lo'], usage: [100, 20] })
  const { live, stored } = await world.create()
  expect((await world.rest('GET', `/api/sessions/${stored}`)).status).toBe(404)
  expect(await world.submit(live, 'Say hello to everybody who lives in this old house by the sea')).toEqual({ status: 'streaming' })
  expect((await world.rows(stored)).map(({ role, content }) => [role, content])).toEqual([['user', 'Say hello to everybody who lives in this old house by the sea']])
  const { payload } = await complete()
  expect(payload).toMatchObject({ text: 'Hello', status: 'complete', reasoning: 'Hm', usage: { input: 100, output: 20, total: 120, context_used: 120, context_max: 32_768, context_percent: 0 } })
  await until('idle', () => world.client.all('session.info').some(({ running }) => running === false))
  expect(world.client.events.map(({ type }) => type)).toEqual(['gateway.ready', 'session.info', 'message.start', 'thinking.delta', 'thinking.delta', 'reasoning.delta', 'message.delta', 'message.delta', 'message.complete', 'session.title', 'session.info'])
  expect(world.client.all('session.title')).toEqual([{ session_id: stored, title: 'Say hello to everybody who lives in this old…' }])
  expect((await world.rows(stored)).at(-1)).toMatchObject({ role: 'assistant', content: 'Hello', reasoning: 'Hm', finish_reason: 'stop' })
  expect(world.model.asked[0]?.body.messages.map(({ role }) => role)).toEqual(['system', 'user'])
})

test('tools: narration is sealed, the command is approved, its output goes to the model, pairs are kept', async () => {
  const { stored, live } = await begin({ say: ['Let me look.'], ...terminal('echo hi; pwd; exit 3') }, { say: ['It says hi.'], usage: [50, 5] })
  const ask = await world.client.event('approval.request')
  expect(ask.payload).toMatchObject({ command: 'echo hi; pwd; exit 3', choices: ['once', 'session', 'deny'], allow_permanent: false })
  expect(results()).toEqual([])
  expect(await world.client.ok('approval.respond', { session_id: live, choice: 'once', all: false })).toEqual({ resolved: 1 })
  expect((await complete()).payload).toMatchObject({ text: 'It says hi.', status: 'complete' })
  expect(results()).toEqual([{ output: `hi\n${world.workspace}\n`, exit_code: 3, error: null }])
  expect(world.client.all('message.interim')).toEqual([{ text: 'Let me look.', already_streamed: true }])
  expect(world.client.text()).toBe('Let me look.\n\nIt says hi.')
  expect(world.client.all('tool.start')).toMatchObject([{ name: 'terminal', context: 'Running echo hi; pwd; exit 3' }])
  const rows = await world.rows(stored)
  expect(rows.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant'])
  expect(rows[1]).toMatchObject({ content: 'Let me look.', finish_reason: 'tool_calls', tool_calls: [{ function: { name: 'terminal' } }] })
  expect(rows[1]).toMatchObject({ tool_calls: [{ id: rows[2]?.['tool_call_id'] }] })
  expect(told()[0]).toContain('exit_code')
  expect(await world.client.ok('approval.respond', { session_id: live, choice: 'once' })).toEqual({ resolved: 0 })
})

test.each([['deny', BLOCKED_DENIED], ['always', BLOCKED_DENIED], ['', BLOCKED_DENIED]])('the answer "%s" runs nothing', async (choice, error) => {
  const { live } = await begin(terminal('touch ran'), { say: ['As you wish.'] })
  await world.client.event('approval.request')
  await world.client.ok('approval.respond', { session_id: live, choice })
  await complete()
  expect(results()).toEqual([{ output: '', exit_code: -1, error, status: 'blocked' }])
  expect([existsSync(join(world.workspace, 'ran')), told()[0]]).toEqual([false, JSON.stringify(results()[0])])
})

test.each(['echo a\0b', 'rm a\rls', 'echo \u202edne', 'ls\u200b', 'x'.repeat(COMMAND_CHARS_MAX + 1)])('a command that nobody could approve knowingly is not asked for: %j', async (command) => {
  await begin(terminal(command), { say: ['I see.'] })
  await complete()
  expect([world.client.all('approval.request'), results()[0]?.['error']]).toEqual([[], expect.stringContaining('command')])
})

test('no answer in time runs nothing, and the model is told', async () => {
  expect((await world.rest('PUT', '/api/config', { config: { approvals: { timeout: 0.1 } } })).status).toBe(200)
  const { live } = await begin(terminal('touch ran'), { say: ['Nobody is there.'] })
  await complete()
  expect([existsSync(join(world.workspace, 'ran')), results()[0]?.['error'], told()[0]]).toEqual([false, BLOCKED_TIMEOUT, expect.stringContaining('NOT consented')])
  expect(await world.client.ok('approval.respond', { session_id: live, choice: 'once' })).toEqual({ resolved: 0 })
})

test('"session" allows exactly this command, in this conversation only', async () => {
  const { live } = await begin(terminal('echo a'), terminal('echo a'), terminal('echo a '), { say: ['done'] })
  await world.client.event('approval.request')
  await world.client.ok('approval.respond', { session_id: live, choice: 'session' })
  await world.client.event('approval.request', 1)
  expect(results()).toHaveLength(2)
  await world.client.ok('approval.respond', { session_id: live, choice: 'deny' })
  await complete()
  await begin(terminal('echo a'), { say: ['done'] })
  await world.client.event('approval.request', 2)
})

test('only the person lifts approvals: for one conversation, or for all; smart is refused', async () => {
  const { live } = await world.create()
  expect((await world.client.call('config.set', { key: 'yolo', value: '1', scope: 'session' })).error?.code).toBe(4002)
  expect((await world.client.call('config.set', { key: 'approvals.mode', value: 'smart' })).error?.code).toBe(4002)
  expect((await world.rest('PUT', '/api/config', { config: { approvals: { mode: 'smart' } } })).status).toBe(400)
  expect(await world.client.ok('config.set', { key: 'yolo', value: '1', scope: 'session', session_id: live })).toMatchObject({ scope: 'session' })
  expect(world.client.all('session.info').at(-1)).toMatchObject({ yolo: true, approval_mode: 'manual' })
  world.model.replies.push(terminal('echo free'), { say: ['done'] })
  await world.submit(live, 'go')
  await complete()
  expect(results()).toMatchObject([{ output: 'free\n' }])
  await world.client.ok('config.set', { key: 'yolo', value: '0', scope: 'session', session_id: live })
  world.model.replies.push(terminal('echo asked'), { say: ['done'] })
  await world.submit(live, 'go')
  await world.client.event('approval.request')
  await world.client.ok('approval.respond', { session_id: live, choice: 'deny' })
  await complete(1)
  await world.rest('PUT', '/api/config', { config: { approvals: { mode: 'off' } } })
  await begin(terminal('echo off'), { say: ['done'] })
  await complete(2)
  expect(results().at(-1)).toMatchObject({ output: 'off\n' })
})

test('a question: choices, the answer, and one that nobody answers', async () => {
  const ask = { calls: [{ name: 'clarify', args: { question: 'Which?', choices: [' a ', 'a', 'b', ''] } }] }
  await begin(ask, { say: ['b it is'] })
  const { payload } = await world.client.event('clarify.request')
  expect(payload).toMatchObject({ question: 'Which?', choices: ['a', 'b'] })
  const { sessions } = await world.client.ok('session.active_list')
  expect(sessions).toMatchObject([{ status: 'waiting' }])
  expect(await world.client.ok('clarify.respond', { request_id: payload['request_id'], answer: 'b' })).toEqual({ status: 'ok' })
  await complete()
  expect(told()[0]).toContain('"output":"b"')
  expect((await world.client.call('clarify.respond', { request_id: payload['request_id'], answer: 'b' })).error?.code).toBe(4009)
})

test('files: written, read, changed with a diff; outside is refused and told', async () => {
  const call = (name: string, args: object | string) => ({ calls: [{ name, args }] })
  writeFileSync(join(world.home, 'secret'), 'SECRET')
  await begin(
    call('write_file', { path: 'notes/a.txt', content: 'one\ntwo\n' }), call('write_file', { path: 'notes/a.txt', content: 'one\n2\n' }), call('read_file', { path: 'notes/a.txt', from_line: 2, lines: 1 }),
    call('read_file', { path: '../secret' }), call('write_file', { path: join(world.home, 'secret'), content: 'x' }), call('read_file', { nope: 1 }), call('read_file', '{"path": '), call('rm_rf', {}), { say: ['done'] },
  )
  await complete()
  const done = world.client.all('tool.complete')
  expect(done[0]).toMatchObject({ inline_diff: expect.stringContaining('+two'), result: { output: 'Created notes/a.txt (8 bytes).' } })
  expect(done[1]?.['inline_diff']).toMatch(/^--- a\/notes\/a.txt[\s\S]*-two\n\+2\n/)
  expect(results()[2]).toMatchObject({ output: '2', lines_total: 3 })
  expect(results().slice(3).map(({ error }) => error)).toEqual([
    expect.stringContaining('outside the workspace'), expect.stringContaining('outside the workspace'), expect.stringContaining('path'), expect.stringContaining('valid JSON'), expect.stringContaining('There is no tool "rm_rf"'),
  ])
  expect(readFileSync(join(world.home, 'secret'), 'utf8')).toBe('SECRET')
  expect(world.client.all('approval.request')).toEqual([])
})

test('long output is cut in the middle', async () => {
  const { live } = await begin(terminal('yes | head -c 1000000; echo END'), { say: ['done'] })
  await world.client.event('approval.request')
  await world.client.ok('approval.respond', { session_id: live, choice: 'once' })
  await complete()
  const output = String(results()[0]?.['output'])
  expect(output.length).toBeLessThan(OUTPUT_CHARS_MAX + 100)
  expect(output).toMatch(/^y\n[\s\S]*characters left out[\s\S]*END\n$/)
})

test('stop in the stream: the line is closed, what was said stays', async () => {
  const { live, stored } = await begin({ say: ['Half an ans'], hang: true })
  await world.client.event('message.delta')
  expect(world.model.open).toBe(1)
  await world.client.ok('session.interrupt', { session_id: live })
  expect((await complete()).payload).toMatchObject({ text: 'Half an ans', status: 'interrupted' })
  await until('the line to close', () => world.model.open === 0)
  expect((await world.rows(stored)).at(-1)).toMatchObject({ role: 'assistant', content: 'Half an ans' })
  world.model.replies.push({ say: ['fine'] })
  await world.submit(live, 'again')
  expect((await complete(1)).payload).toMatchObject({ status: 'complete' })
})

test('stop in a command: the process and its children are dead, the pair is whole', async () => {
  const { live, stored } = await begin({ calls: [{ name: 'terminal', args: { command: "trap '' TERM; sleep 600 & echo $! > child; echo begun; wait" } }, { name: 'write_file', args: { path: 'second', content: 'x' } }] })
  await world.client.event('approval.request')
  await world.client.ok('approval.respond', { session_id: live, choice: 'once' })
  const pid = await pidIn('child')
  expect(isAlive(pid)).toBe(true)
  await world.client.ok('session.interrupt', { session_id: live })
  expect((await complete()).payload).toMatchObject({ text: null, status: 'interrupted' })
  await until('the death of the child', () => !isAlive(pid))
  expect(results()).toMatchObject([{ output: 'begun\n\n[Command interrupted]', exit_code: 130 }, { status: 'blocked' }])
  expect((await world.rows(stored)).map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  expect(existsSync(join(world.workspace, 'second'))).toBe(false)
})

test('stop while a question is open runs nothing', async () => {
  const { live } = await begin(terminal('touch ran'))
  await world.client.event('approval.request')
  await world.client.ok('session.interrupt', { session_id: live })
  expect((await complete()).payload).toMatchObject({ status: 'interrupted' })
  expect(await world.client.ok('approval.respond', { session_id: live, choice: 'once' })).toEqual({ resolved: 0 })
  expect(existsSync(join(world.workspace, 'ran'))).toBe(false)
})

test('a hint goes into the next round; an idle conversation takes none', async () => {
  const { live } = await begin(terminal('echo x'), { say: ['done'] })
  await world.client.event('approval.request')
  for (let n = 0; n <= STEERS_MAX; n++) expect(await world.client.ok('session.steer', { session_id: live, text: `hint ${n}` })).toMatchObject({ status: n < STEERS_MAX ? 'queued' : 'rejected' })
  await world.client.ok('approval.respond', { session_id: live, choice: 'once' })
  await complete()
  expect(told()[0]).toMatch(/OUT-OF-BAND[\s\S]*hint 0[\s\S]*hint 31/)
  expect(await world.client.ok('session.steer', { session_id: live, text: 'late' })).toMatchObject({ status: 'rejected' })
})

test('a message to a busy conversation: interrupt, queue, steer', async () => {
  const { live, stored } = await begin({ say: ['Long'], hang: true }, { say: ['second'] })
  await world.client.event('message.delta')
  expect(await world.submit(live, 'two')).toEqual({ status: 'queued' })
  expect([(await complete()).payload['status'], (await complete(1)).payload['text']]).toEqual(['interrupted', 'second'])
  await world.client.ok('config.set', { key: 'busy', value: 'queue' })
  world.model.replies.push(terminal('echo x'), { say: ['third'] }, { say: ['fourth'] })
  await world.submit(live, 'three')
  await world.client.event('approval.request')
  for (const text of ['four', 'five']) expect(await world.submit(live, text)).toEqual({ status: 'queued' })
  await world.client.ok('config.set', { key: 'busy', value: 'steer' })
  expect(await world.submit(live, 'a hint')).toEqual({ status: 'steered' })
  await world.client.ok('approval.respond', { session_id: live, choice: 'once' })
  expect((await complete(3)).payload['text']).toBe('fourth')
  expect((await world.rows(stored)).filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual(['Do it, please', 'two', 'three', 'four\n\nfive'])
})

test('a failure is a sentence and what to do; the message stays; a retry takes its place', async () => {
  const { live, stored } = await begin({ status: 401, body: '{"error":{"message":"no"}}' })
  expect((await complete()).payload).toMatchObject({ status: 'error', text: expect.stringMatching(/refused the key.*settings of the relay/) })
  expect(world.client.all('status.update')).toMatchObject([{ kind: 'lifecycle', text: expect.stringMatching(/^❌ /) }])
  expect((await world.rows(stored)).map(({ role }) => role)).toEqual(['user'])
  world.model.replies.push({ say: ['Partly'], cut: true }, { say: ['whole'] })
  await world.client.ok('prompt.submit', { session_id: live, text: 'Do it, please', truncate_before_user_ordinal: 0 })
  expect((await complete(1)).payload).toMatchObject({ status: 'error', text: expect.stringContaining('broke off') })
  expect((await world.rows(stored)).map(({ content }) => content)).toEqual(['Do it, please', 'Partly'])
  expect((await world.client.call('prompt.submit', { session_id: live, text: 'x', truncate_before_user_ordinal: 1 })).error?.code).toBe(4018)
  expect((await world.client.call('prompt.submit', { session_id: live, text: 'x', truncate_before_user_ordinal: 0.5 })).error?.code).toBe(4004)
  await world.client.ok('prompt.submit', { session_id: live, text: 'Do it, please', truncate_before_user_ordinal: 0 })
  await complete(2)
  expect((await world.rows(stored)).map(({ content }) => content)).toEqual(['Do it, please', 'whole'])
})

test('after a failed turn the model is asked both messages as one; both rows stay', async () => {
  const { live, stored } = await begin({ status: 401, body: '{"error":{"message":"no"}}' }, { say: ['Here.'] })
  await complete()
  await world.submit(live, 'And now?')
  await complete(1)
  expect(world.model.asked.at(-1)?.body.messages.slice(1)).toEqual([{ role: 'user', content: 'Do it, please\n\nAnd now?' }])
  expect((await world.rows(stored)).map(({ content }) => content)).toEqual(['Do it, please', 'And now?', 'Here.'])
})

test('an empty answer, a cut one, and rounds without end', async () => {
  await begin({ think: ['only thought'] })
  expect((await complete()).payload).toMatchObject({ text: NO_REPLY, status: 'complete' })
  await begin({ say: ['long'], finish: 'length' })
  expect((await complete(1)).payload).toMatchObject({ text: 'long', warning: expect.stringContaining('limit') })
  await begin(...Array.from({ length: ROUNDS_MAX }, () => ({ calls: [{ name: 'read_file', args: { path: 'none' } }] })))
  expect((await complete(2)).payload).toMatchObject({ status: 'complete', text: expect.stringContaining(`${ROUNDS_MAX} rounds`) })
  expect(results()).toHaveLength(ROUNDS_MAX)
})
