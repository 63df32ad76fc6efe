/** Frames of the upstream gateway socket: JSON-RPC over text frames (contract gateway.md 2). */
import * as z from 'zod/mini'

const RpcError = z.object({ code: z.number(), message: z.prefault(z.string(), ''), data: z.optional(z.unknown()) })
export type GatewayFrame =
  | { kind: 'response'; rpcId: number | string; result: Record<string, unknown> }
  | { kind: 'failure'; rpcId: number | string; code: number; message: string; data?: unknown }
  | { kind: 'request'; rpcId: string; method: string; params: Record<string, unknown> }
  | { kind: 'event'; type: string; liveId: string | null; seq: number | null; payload: Record<string, unknown> }

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * Every JSON object of one text frame, in order; several newline-delimited objects are tolerated, the rest is skipped.
 * Parsing order: response, server request, event, ignore (contract gateway.md 2).
 */
export function parseGatewayFrames(text: string): GatewayFrame[] {
  const whole = parseJson(text)
  if (whole !== undefined) return [whole].flatMap(parseGatewayObject)
  return text.split('\n').filter((line) => line.trim() !== '').flatMap((line) => parseGatewayObject(parseJson(line)))
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parseGatewayObject(raw: unknown): GatewayFrame[] {
  if (!isRecord(raw)) return []
  const rpcId = raw['id']
  const hasId = typeof rpcId === 'number' || typeof rpcId === 'string'
  if (hasId && raw['error'] !== undefined) {
    const error = RpcError.safeParse(raw['error'])
    return [{ kind: 'failure', rpcId, ...(error.success ? error.data : { code: -32000, message: 'malformed error' }) }]
  }
  if (hasId && 'result' in raw) return [{ kind: 'response', rpcId, result: isRecord(raw['result']) ? raw['result'] : {} }]
  if (typeof raw['method'] !== 'string') return []
  if (typeof rpcId === 'string') return [{ kind: 'request', rpcId, method: raw['method'], params: isRecord(raw['params']) ? raw['params'] : {} }]
  if (raw['method'] !== 'event') return []
  return parseEvent(raw['params'])
}

/** By hand: this runs once for every token of every answer, and a schema would be a third of the relay's work for it. */
function parseEvent(params: unknown): GatewayFrame[] {
  if (!isRecord(params) || typeof params['type'] !== 'string') return []
  const { type, session_id: liveId, seq, payload } = params as { type: string; session_id?: unknown; seq?: unknown; payload?: unknown }
  if (payload !== undefined && payload !== null && !isRecord(payload)) return []
  if ((liveId !== undefined && typeof liveId !== 'string') || (seq !== undefined && typeof seq !== 'number')) return []
  return [{ kind: 'event', type, liveId: liveId ?? null, seq: seq ?? null, payload: isRecord(payload) ? payload : {} }]
}
