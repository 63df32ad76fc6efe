/** Is it a relay that answers on this port, and is there a Hermes dashboard on this machine? Loopback only, short, bounded. */
import { createSendHttp } from '../ingress/send-http.ts'
import { parseStatus } from '../ingress/hermes-watch.ts'

export const DASHBOARD_URL = 'http://127.0.0.1:9119'
const PROBE_MS = 2_000
const PROBE_BYTES_MAX = 256 * 1_024

export async function findRelay(port: number): Promise<{ version: string; hermes: { kind: string; version: string | null } } | null> {
  const answer = await createSendHttp(`http://127.0.0.1:${port}`)({ method: 'GET', path: '/relay/health', timeoutMs: PROBE_MS, bytesMax: PROBE_BYTES_MAX })
  if (answer.kind !== 'answer' || answer.status !== 200) return null
  try {
    const { status, version, protocol, hermes } = JSON.parse(answer.body) as Record<string, unknown>
    if (status !== 'ok' || typeof version !== 'string' || typeof protocol !== 'number' || typeof hermes !== 'object' || hermes === null) return null
    const { kind, version: hermesVersion } = hermes as Record<string, unknown>
    return { version, hermes: { kind: kind === 'dashboard' ? 'dashboard' : 'embedded', version: typeof hermesVersion === 'string' ? hermesVersion : null } }
  } catch {
    return null
  }
}

/** `--hermes auto`: a dashboard that answers like one, else the demo. */
export async function hasDashboard(baseUrl = DASHBOARD_URL): Promise<boolean> {
  const answer = await createSendHttp(baseUrl)({ method: 'GET', path: '/api/status', timeoutMs: PROBE_MS, bytesMax: PROBE_BYTES_MAX })
  return answer.kind === 'answer' && answer.status === 200 && parseStatus(answer.body) !== null && /"auth(?:_required)?"\s*:/.test(answer.body)
}
