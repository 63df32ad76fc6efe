/** The one question that the API server can raise: may this command run (contract api-server.md 6.3, 6.4). */
import { askFromGateway } from '../turn/ask.ts'
import { type Payload, textOrNull } from '../turn/payload.ts'
import type { StreamFact } from './stream-fact.ts'

/** Only what was offered; without `session` nothing lasting either. */
export function askFromApiServer(payload: Payload): StreamFact[] {
  const once = payload['smart_denied'] === true || payload['allow_session'] === false
  const ask = askFromGateway('approval.request', { ...payload, smart_denied: once })
  return ask ? [{ kind: 'ask', ask: { ...ask, requestId: textOrNull(payload, 'request_id') } }] : []
}
