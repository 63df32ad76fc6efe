/** An OpenAI-compatible server of a test: real HTTP on loopback; says what the script says, keeps what it was asked. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Call = { name: string; args: object | string; id?: string }
export type Reply =
  | { say?: string[]; think?: string[]; calls?: Call[]; usage?: [number, number]; finish?: string | null; /** The stream stays open after this. */ hang?: boolean; /** The line is cut after this. */ cut?: boolean }
  | { status: number; body?: string; headers?: Record<string, string> }
  | ((response: ServerResponse, body: Asked['body']) => void)
export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: { model: string; messages: { role: string; content: string | null; tool_calls?: { id: string }[]; tool_call_id?: string }[]; tools?: unknown[]; stream_options?: unknown } }

export type ScriptedModel = { url: string; asked: Asked[]; replies: Reply[]; models: string[]; /** How many answers are open right now. */ readonly open: number; close(): Promise<void> }

export async function createScriptedModel(): Promise<ScriptedModel> {
  const asked: Asked[] = []
  const replies: Reply[] = []
  const models = ['model-a', 'model-b']
  let open = 0
  let callNext = 1
  const server: Server = createServer((request, response) => {
    open += 1
    response.once('close', () => { open -= 1 })
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => { text += piece }).once('end', () => {
      const body = text === '' ? {} : JSON.parse(text)
      asked.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body })
      if (request.url?.endsWith('/models')) response.setHeader('content-type', 'application/json').end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id })) }))
      else answer(response, replies.shift() ?? { say: ['I have nothing left to say.'] }, body)
    })
  })

  const answer = (response: ServerResponse, reply: Reply, body: Asked['body']): void => {
    if (typeof reply === 'function') return reply(response, body)
    if ('status' in reply) {
      response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end(reply.body ?? '')
      return
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const send = (delta: object, finish: string | null = null): void => { response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`) }
    for (const text of reply.think ?? []) send({ reasoning_content: text })
    for (const text of reply.say ?? []) send({ content: text })
    for (const [index, { name, args, id }] of (reply.calls ?? []).entries()) {
      const whole = typeof args === 'string' ? args : JSON.stringify(args)
      const half = Math.floor(whole.length / 2)
      send({ tool_calls: [{ index, id: id ?? `call-${callNext++}`, type: 'function', function: { name, arguments: '' } }] })
      for (const part of [whole.slice(0, half), whole.slice(half)]) send({ tool_calls: [{ index, function: { arguments: part } }] })
    }
    if (reply.hang) return
    if (reply.cut) {
      setTimeout(() => response.destroy(), 30)
      return
    }
    const finish = reply.finish === undefined ? ((reply.calls ?? []).length > 0 ? 'tool_calls' : 'stop') : reply.finish
    if (finish !== null) send({}, finish)
    if (reply.usage) response.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: reply.usage[0], completion_tokens: reply.usage[1] } })}\n\n`)
    response.end('data: [DONE]\n\n')
  }

  await new Promise<void>((resolve) => { server.listen(0, '127.0.0.1', resolve) })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, replies, models,
    get open() { return open },
    close: () => new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    }),
  }
}
