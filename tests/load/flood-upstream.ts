/** An upstream for benchmarks: the least of a gateway that a turn needs, and as many deltas as are asked for, one frame a token. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

const TOKEN = 'bench-token-bench-token'
type Row = { id: number; role: string; content: string; timestamp: number; finish_reason?: string }
type Stored = { storedId: string; liveId: string; rows: Row[]; running: boolean }

export type Flood = { url: string; /** When the model of the last turn said its last word (`performance.now()`), once it has. */ ended(): Promise<number>; close(): void }

/** `flood N RATE [SHAPE]` in a prompt streams N tokens at RATE a second (0: as fast as the socket takes them), as prose with blocks, or as one endless list, paragraph or table. */
export async function startFlood(): Promise<Flood> {
  const sessions: Stored[] = []
  let rowId = 1
  const waiting: ((atMs: number) => void)[] = []
  const http: Server = createServer((request, response) => {
    const json = (status: number, body: unknown) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const url = new URL(request.url ?? '/', 'http://x')
    if (url.pathname === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(`<script>window.__HERMES_SESSION_TOKEN__="${TOKEN}"</script>`)
    if (url.pathname === '/api/status') return void json(200, { version: '0.19.0', auth_required: false })
    const found = /^\/api\/sessions\/([^/]+)(\/messages)?$/.exec(url.pathname)
    const stored = sessions.find((one) => one.storedId === found?.[1] && one.rows.length > 0)
    if (!found || !stored) return void json(404, { detail: 'Session not found' })
    if (!found[2]) return void json(200, { id: stored.storedId, message_count: stored.rows.length })
    const offset = Number(url.searchParams.get('offset') ?? 0)
    const messages = stored.rows.slice(offset, offset + 500)
    json(200, { session_id: stored.storedId, messages, pagination: { limit: 500, offset, returned: messages.length } })
  })
  const sockets = new WebSocketServer({ server: http, path: '/api/ws', perMessageDeflate: false })
  sockets.on('connection', (socket) => {
    const send = (frame: unknown) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...(frame as object) }))
    const event = (type: string, liveId: string | null, payload: unknown) => send({ method: 'event', params: { type, ...(liveId ? { session_id: liveId } : {}), payload } })
    event('gateway.ready', null, { skin: {} })
    socket.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data)) as { id: number; method: string; params: Record<string, string> }
      if (method === 'session.create') {
        const n = sessions.length + 1
        const made: Stored = { storedId: `20261130_120000_${String(n).padStart(6, '0')}`, liveId: `live${String(n).padStart(4, '0')}`, rows: [], running: false }
        sessions.push(made)
        return send({ id, result: { session_id: made.liveId, stored_session_id: made.storedId, message_count: 0, messages: [], info: { model: 'bench' } } })
      }
      if (method === 'session.active_list') return send({ id, result: { sessions: sessions.map((one) => ({ id: one.liveId, session_key: one.storedId, status: one.running ? 'working' : 'idle', message_count: one.rows.length, last_active: 0 })) } })
      const stored = sessions.find((one) => one.liveId === params['session_id'])
      if (method !== 'prompt.submit' || !stored) return send({ id, error: { code: -32601, message: `unknown method: ${method}` } })
      stored.rows.push({ id: rowId++, role: 'user', content: params['text'] ?? '', timestamp: 1 })
      stored.running = true
      send({ id, result: { status: 'streaming' } })
      void stream(socket, params['text'] ?? '', (type, payload) => event(type, stored.liveId, payload)).then((text) => {
        stored.rows.push({ id: rowId++, role: 'assistant', content: text, timestamp: 2, finish_reason: 'stop' })
        stored.running = false
        for (const tell of waiting.splice(0)) tell(performance.now())
        event('message.complete', stored.liveId, { text, status: 'complete', usage: { input: 1, output: 1, total: 2 } })
        event('session.info', stored.liveId, { running: false, model: 'bench' })
      })
    })
  })
  await new Promise<void>((resolve) => { http.listen(0, '127.0.0.1', resolve) })
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    ended: () => new Promise<number>((resolve) => { waiting.push(resolve) }),
    close: () => {
      for (const socket of sockets.clients) socket.terminate()
      sockets.close()
      http.close()
    },
  }
}

const TICK_MS = 10

/** The shapes that an answer may take; `prose` has a new block about every forty tokens. */
function tokenOf(shape: string, n: number): string {
  const word = ` w${n % 1_000}`
  if (shape === 'list') return n % 12 === 0 ? `\n-${word}` : word
  if (shape === 'table') return n === 0 ? '| a | b | c | d |\n|---|---|---|---|\n|' : n % 4 === 0 ? `${word} |\n|` : `${word} |`
  if (shape === 'paragraph') return word
  if (n % 400 === 0) return `\n\n## Part${word}\n\n`
  if (n % 200 === 100) return `\n\n\`\`\`ts\nconst x =${word}\n\`\`\`\n\n`
  return n % 40 === 0 ? `\n\n${word}` : word
}

async function stream(socket: WebSocket, prompt: string, event: (type: string, payload: unknown) => void): Promise<string> {
  const [, count = '1', rate = '0', shape = 'prose'] = /^flood (\d+) (\d+)(?: (\w+))?/.exec(prompt) ?? []
  event('message.start', {})
  const perTick = Number(rate) === 0 ? Number(count) : Math.max(1, Math.round((Number(rate) * TICK_MS) / 1_000))
  let text = ''
  for (let sent = 0; sent < Number(count);) {
    for (let n = 0; n < perTick && sent < Number(count); n += 1, sent += 1) {
      const token = tokenOf(shape, sent)
      text += token
      event('message.delta', { text: token })
    }
    await new Promise((resolve) => setTimeout(resolve, socket.bufferedAmount > 1_000_000 ? 50 : TICK_MS))
  }
  return text
}
