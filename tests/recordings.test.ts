/** Every recording of the real server, replayed through the door, the translator and the fold, ends as the history says (I8). */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { type MessageRow, parseMessagePage } from '#protocol/dashboard/message-row.ts'
import { parseSessionList } from '#protocol/dashboard/session-row.ts'
import { parseGatewayFrames } from '#protocol/gateway/gateway-frame.ts'
import { fromGatewayEvent } from '#protocol/turn/from-gateway.ts'
import { foldHistory, readToolResult } from '#protocol/turn/history-fold.ts'
import { newTurn, stepTurn, type ToolBlock, type Turn } from '#protocol/turn/turn-fold.ts'
import { parseRecording, promptOf, type RecordingEntry } from '#relay/embedded/recording.ts'

const DIR = new URL('./contract/fixtures/upstream-0.19.0/', import.meta.url)
const names = readdirSync(DIR).filter((name) => name.endsWith('.gateway.jsonl')).map((name) => name.replace('.gateway.jsonl', ''))
const read = (name: string): RecordingEntry[] => parseRecording(readFileSync(new URL(`${name}.gateway.jsonl`, DIR), 'utf8'))
const rest = (name: string) => JSON.parse(readFileSync(new URL(`rest/${name}.json`, DIR), 'utf8')) as { request: { method: string; path: string }; status: number; body: unknown }[]

type Json = Record<string, unknown>
type Raw = { complete: Json; tools: Json[]; reasoning: string; deltas: string }
type Played = { liveId: string; turn: Turn; raw: Raw; whole: boolean }
type Snapshot = { liveId: string; endedBefore: number; messages: Json[] }
type Replay = { turns: Played[]; unknown: string[]; outside: string[]; snapshots: Snapshot[]; storedOf: Map<string, string> }

/** A line was down in these: the middle of a turn is in no frame, and what is known of it comes from the snapshot. */
const rawStart = (): Raw => ({ complete: {}, tools: [], reasoning: '', deltas: '' })

function replay(entries: readonly RecordingEntry[]): Replay {
  const open = new Map<string, Played>()
  const out: Replay = { turns: [], unknown: [], outside: [], snapshots: [], storedOf: new Map() }
  const prompts = new Map<string, string>()
  const owner = new Map<string, string>()
  for (const entry of entries) {
    const prompt = promptOf(entry)
    if (prompt) prompts.set(prompt.liveId, prompt.text)
    if (entry.dir === 'close') for (const [liveId, played] of open) if (owner.get(liveId) === entry.client) played.whole = false
    if (entry.dir !== 'recv') continue
    for (const frame of parseGatewayFrames(JSON.stringify(entry.frame))) {
      if (frame.kind === 'response') readResult(frame.result, open, out)
      if (frame.kind !== 'event') continue
      if (frame.liveId) owner.set(frame.liveId, entry.client)
      const fact = fromGatewayEvent(frame.type, frame.payload)
      if (fact.kind === 'unknown') out.unknown.push(frame.type)
      if (fact.kind !== 'turn' || frame.liveId === null) continue
      const liveId = frame.liveId
      if (frame.type === 'message.start' && !open.has(liveId)) {
        const turn = newTurn({ turnId: `${liveId}-${out.turns.length}`, origin: prompts.has(liveId) ? 'ours' : 'agent', clientMsgId: null, prompt: prompts.get(liveId) ?? null, startedAtMs: entry.ms })
        prompts.delete(liveId)
        open.set(liveId, { liveId, turn, raw: rawStart(), whole: true })
      }
      const played = open.get(liveId)
      if (!played) {
        out.outside.push(frame.type)
        continue
      }
      played.turn = stepTurn(played.turn, fact.event)
      if (frame.type === 'tool.complete') played.raw.tools.push(frame.payload)
      if (frame.type === 'reasoning.delta') played.raw.reasoning += String(frame.payload['text'])
      if (frame.type === 'message.delta') played.raw.deltas += String(frame.payload['text'])
      if (frame.type !== 'message.complete') continue
      played.raw.complete = frame.payload
      out.turns.push(played)
      open.delete(liveId)
    }
  }
  return out
}

/** A snapshot in mid-turn replaces what we had of the text, as the lease does after a lost line. */
function readResult(result: Json, open: Map<string, Played>, out: Replay): void {
  const liveId = typeof result['session_id'] === 'string' ? result['session_id'] : null
  if (liveId === null || !Array.isArray(result['messages'])) return
  const storedId = result['session_key'] ?? result['stored_session_id']
  if (typeof storedId === 'string') out.storedOf.set(liveId, storedId)
  out.snapshots.push({ liveId, endedBefore: out.turns.length, messages: result['messages'] as Json[] })
  const played = open.get(liveId)
  if (!played) return
  if (result['running'] !== true) {
    open.delete(liveId) // It ended while nobody listened: only the history knows how.
    return
  }
  const inflight = result['inflight'] as Json | null | undefined
  if (played.whole || !inflight) return
  const kept = played.turn.blocks.filter((block) => block.kind !== 'text')
  played.turn = stepTurn({ ...played.turn, blocks: kept }, { kind: 'text', text: String(inflight['assistant'] ?? '') })
}

const texts = (turn: Turn): string[] => turn.blocks.flatMap((block) => (block.kind === 'text' ? [block.text] : []))
const thinking = (turn: Turn): string => turn.blocks.flatMap((block) => (block.kind === 'thinking' ? [block.text] : [])).join('')
const tools = (turn: Turn): ToolBlock[] => turn.blocks.filter((block): block is ToolBlock => block.kind === 'tool')

const replays = new Map(names.map((name) => [name, replay(read(name))]))

test.each(names)('recording %s holds no event that we do not know', (name) => { expect(replays.get(name)!.unknown).toEqual([]) })

/** Turn events outside a turn, and why that is right. */
const OUTSIDE: Readonly<Record<string, readonly string[]>> = {
  // The spinner is cleared after the end, and compression talks between turns.
  any: ['thinking.delta', 'status.update'],
  // A delegated child reports after the turn that sent it.
  'turn-delegate': ['subagent.start', 'subagent.thinking', 'subagent.complete'],
}

test.each(names)('recording %s has no words outside a turn', (name) => {
  const allowed = new Set([...OUTSIDE['any']!, ...(OUTSIDE[name] ?? [])])
  expect(replays.get(name)!.outside.filter((type) => !allowed.has(type))).toEqual([])
})

let checked = 0
let toolsChecked = 0
let reasoningChecked = 0

test.each(names)('recording %s: every finished turn reads as its last event says', (name) => {
  for (const { turn, raw } of replays.get(name)!.turns) {
    const { complete } = raw
    const status = complete['status']
    const answer = typeof complete['text'] === 'string' ? complete['text'] : ''
    expect(turn.phase).toBe('ended')
    expect(turn.outcome?.status).toBe(status)
    if (status === 'error') expect(turn.outcome?.error).toBe(answer)
    else if (answer !== '') expect(texts(turn).at(-1)).toBe(answer)
    else expect(complete['text'] ?? null).toBe(null)
    if (status === 'complete') expect(texts(turn).length).toBeGreaterThan(0)
    const reasoning = typeof complete['reasoning'] === 'string' ? complete['reasoning'] : raw.reasoning
    expect(thinking(turn)).toBe(reasoning) // Neither a spinner caption nor a repeated answer.
    if (reasoning !== '') reasoningChecked += 1
    expect(tools(turn).map((tool) => [tool.toolId, tool.name])).toEqual(raw.tools.map((tool) => [tool['tool_id'], tool['name']]))
    for (const [at, tool] of tools(turn).entries()) {
      const recorded = raw.tools[at]!
      const want = readToolResult(JSON.stringify(recorded['result'] ?? null))
      expect(JSON.parse(tool.args ?? 'null')).toEqual(recorded['args'] ?? null)
      expect([tool.error, tool.blocked, tool.state]).toEqual([want.error, want.blocked, want.error !== null || want.blocked ? 'failed' : 'done'])
      const output = (recorded['result'] as Json | null)?.['output']
      if (typeof output === 'string') expect(tool.result).toBe(output)
      toolsChecked += 1
    }
    checked += 1
  }
})

/** Where the recorded history differs from what was said, by nature. */
const HISTORY_DIFFERS: Readonly<Record<string, string>> = {
  'edit-regenerate': 'a turn is cut off and said again',
}

let histories = 0

test.each(names)('recording %s: what was said is what the snapshots and the history show', (name) => {
  const { turns, snapshots, storedOf } = replays.get(name)!
  for (const snapshot of snapshots) {
    if (snapshot.messages.length === 0 || name in HISTORY_DIFFERS) continue
    const storedId = storedOf.get(snapshot.liveId)
    const sameSession = (played: Played): boolean => played.liveId === snapshot.liveId || (storedId !== undefined && storedOf.get(played.liveId) === storedId)
    const ended = turns.slice(0, snapshot.endedBefore).filter(sameSession)
    const shown = snapshot.messages.filter((row) => row['role'] === 'assistant').map((row) => String(row['text']))
    for (const played of ended.filter(({ raw, whole }) => whole && raw.complete['status'] === 'complete')) {
      for (const text of texts(played.turn)) expect(shown).toContain(text)
      const thoughts = snapshot.messages.filter((row) => typeof row['reasoning'] === 'string').map((row) => String(row['reasoning']))
      if (thinking(played.turn) !== '') expect(thoughts).toContain(thinking(played.turn))
      histories += 1
    }
    const toolNames = snapshot.messages.filter((row) => row['role'] === 'tool').map((row) => row['name'])
    for (const tool of ended.flatMap(({ turn }) => tools(turn))) expect(toolNames).toContain(tool.name)
  }
})

test('enough was checked', () => {
  expect(names.length).toBeGreaterThanOrEqual(41)
  expect(checked).toBeGreaterThanOrEqual(89)
  expect(toolsChecked).toBeGreaterThanOrEqual(33)
  expect(reasoningChecked).toBeGreaterThanOrEqual(2)
  expect(histories).toBeGreaterThanOrEqual(32)
})

test('deltas alone, without the last event, already hold the words of every one-segment turn', () => {
  let compared = 0
  for (const { turns } of replays.values()) {
    for (const { raw, whole } of turns) {
      if (!whole || raw.tools.length > 0 || raw.complete['status'] !== 'complete' || raw.deltas === '') continue
      expect(raw.deltas.trim()).toBe(raw.complete['text'])
      compared += 1
    }
  }
  expect(compared).toBeGreaterThanOrEqual(40)
})

test('the stored rows fold into the same blocks: words, tools with arguments and results, thoughts', () => {
  const page = parseMessagePage(rest('messages')[0]!.body)!
  expect(page.skipped).toBe(0)
  const items = foldHistory(page.rows)
  expect(items.map((item) => item.kind)).toEqual(['user', 'turn', 'user', 'turn', 'user', 'turn', 'user', 'turn'])
  const blocks = items.flatMap((item) => (item.kind === 'turn' ? [item.blocks] : []))
  expect(blocks[0]).toEqual([{ kind: 'text', text: 'first answer about tomatoes', sealed: true }])
  expect(blocks[1]).toMatchObject([{ kind: 'tool', toolId: 'call_stub_177_0', name: 'terminal', state: 'done', args: '{"command":"echo hi"}', result: 'hi' }, { kind: 'text', text: 'tool result: {"output": "hi", "exit_code": 0, "error": null}' }])
  expect(blocks[2]).toEqual([{ kind: 'thinking', text: 'hidden thought' }, { kind: 'text', text: 'thought answer', sealed: true }])
  expect(items.filter((item) => item.kind === 'user').map((item) => item.kind === 'user' && item.text.split('\n')[0])).toEqual(['say: first answer about tomatoes', 'tool: terminal echo hi', 'think: hidden thought', 'images'])
})

test('recorded pages come oldest first without `order`, and page by offset', () => {
  const whole = parseMessagePage(rest('messages')[0]!.body)!
  const pages = rest('messages').filter((entry) => entry.status === 200 && entry.request.path.includes('limit=2'))
  for (const entry of pages) {
    const page = parseMessagePage(entry.body)!
    const { limit, offset, returned, order } = page.pagination!
    expect([limit, returned, order]).toEqual([2, 2, undefined])
    expect(page.rows.map((row: MessageRow) => row.id)).toEqual(whole.rows.slice(offset, offset! + 2).map((row) => row.id))
  }
  expect(pages.length).toBeGreaterThanOrEqual(3)
})

test('recorded lists are read whole, newest activity first', () => {
  const lists = rest('sessions').filter((entry) => entry.status === 200 && entry.request.method === 'GET' && /^\/api\/(?:profiles\/)?sessions\?/.test(entry.request.path))
  for (const entry of lists) {
    const list = parseSessionList(entry.body)
    expect(list.length).toBe((entry.body as { sessions: unknown[] }).sessions.length)
    expect(list.map((row) => row.activeAtMs)).toEqual(list.map((row) => row.activeAtMs).sort((a, b) => b - a))
    expect(list.every((row) => row.startedAtMs > 1.7e12 && row.sessionId !== '')).toBe(true)
  }
  expect(lists.length).toBeGreaterThanOrEqual(4)
})
