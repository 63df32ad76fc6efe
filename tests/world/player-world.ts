/** A client of the player for tests: frames by socket, calls that step the clock until their answer is there. */
import { createSeededChance } from './seeded-chance.ts'
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts'
import type { Json } from '#relay/embedded/player-core.ts'
import { createPlayerHost, type PlayerHost, type PlayerOptions } from '#relay/embedded/player-host.ts'

export type SeenEvent = { atMs: number; type: string; liveId: string | null; payload: Json }
export type Client = {
  id: number; events: SeenEvent[]; frames: Json[]; closed: (number | null)[]
  call(method: string, params?: Json): Promise<Json>
  send(text: string): void
  post(method: string, params?: Json): number
  close(): void
  types(liveId?: string): string[]
}
export type PlayerWorld = { clock: VirtualClock; host: PlayerHost; client(): Promise<Client>; get(path: string): Json; startMs: number }

export function createPlayerWorld(options: Partial<PlayerOptions> = {}): PlayerWorld {
  const clock = createVirtualClock()
  const startMs = clock.now()
  const host = createPlayerHost({ clock, chance: createSeededChance(1), ...options })
  return { clock, host, startMs, client: () => connect(clock, host), get: (path) => host.request('GET', path).body as Json }
}

async function connect(clock: VirtualClock, host: PlayerHost): Promise<Client> {
  const frames: Json[] = []
  const events: SeenEvent[] = []
  const closed: (number | null)[] = []
  let rpcId = 0
  const line = host.connect((text) => {
    const frame = JSON.parse(text) as Json
    frames.push(frame)
    const params = frame['params'] as Json | undefined
    if (frame['method'] === 'event' && params) events.push({ atMs: clock.now(), type: String(params['type']), liveId: (params['session_id'] as string) ?? null, payload: (params['payload'] as Json) ?? {} })
  }, (code) => { closed.push(code) })
  const post = (method: string, params: Json = {}): number => {
    rpcId += 1
    line.send(JSON.stringify({ jsonrpc: '2.0', id: rpcId, method, params }))
    return rpcId
  }
  await clock.advance(1)
  return {
    id: line.id, events, frames, closed, post,
    send: (text) => line.send(text),
    close: () => line.close(),
    types: (liveId) => events.filter((event) => liveId === undefined || event.liveId === liveId).map((event) => event.type),
    async call(method, params) {
      const wanted = post(method, params)
      for (let waited = 0; waited < 100; waited += 1) {
        const reply = frames.find((frame) => frame['id'] === wanted)
        if (reply) return reply
        await clock.advance(1)
      }
      throw new Error(`no answer to ${method}`)
    },
  }
}

export const resultOf = (reply: Json): Json => {
  if (!reply['result']) throw new Error(`refused: ${JSON.stringify(reply)}`)
  return reply['result'] as Json
}
export const codeOf = (reply: Json): number | null => ((reply['error'] as Json | undefined)?.['code'] as number | undefined) ?? null

/** A new session, warm: its first turn is over. */
export async function warmSession(world: PlayerWorld, client: Client, title = 'Test'): Promise<{ liveId: string; storedId: string }> {
  const made = resultOf(await client.call('session.create', { cols: 80, source: 'webui', title }))
  const liveId = String(made['session_id'])
  await client.call('prompt.submit', { session_id: liveId, text: 'say: warm' })
  await world.clock.advance(5_000)
  return { liveId, storedId: String(made['stored_session_id']) }
}
