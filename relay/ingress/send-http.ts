/** One bounded HTTP request to one base address: no redirect is followed, no header of a browser is sent, the answer has a size and a time. */

export type HttpRequest = { method: string; path: string; headers?: Record<string, string>; body?: string; timeoutMs: number; bytesMax: number }
export type HttpAnswer =
  | { kind: 'answer'; status: number; contentType: string; body: string; location: string; retryAfterS: number | null; setCookies: readonly string[] }
  | { kind: 'unreachable'; reason: string }
  | { kind: 'too_large' }
export type SendHttp = (request: HttpRequest) => Promise<HttpAnswer>

/** `base` without trailing slash; a path prefix stays on every request. */
export const createSendHttp = (base: string): SendHttp => async ({ method, path, headers, body, timeoutMs, bytesMax }) => {
  const timeout = AbortSignal.timeout(timeoutMs)
  try {
    const response = await fetch(`${base}${path}`, {
      method, redirect: 'manual', signal: timeout,
      headers: { accept: 'application/json', ...(body !== undefined && { 'content-type': 'application/json' }), ...headers }, ...(body !== undefined && { body }),
    })
    const text = await readBounded(response, bytesMax)
    if (text === null) return { kind: 'too_large' }
    const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
    return {
      kind: 'answer', status: response.status, contentType: response.headers.get('content-type') ?? '', body: text, location: response.headers.get('location') ?? '',
      retryAfterS: Number.isFinite(retryAfter) ? retryAfter : null, setCookies: response.headers.getSetCookie(),
    }
  } catch (error) {
    return { kind: 'unreachable', reason: timeout.aborted ? 'timeout' : reasonOf(error) }
  }
}

async function readBounded(response: Response, bytesMax: number): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) {
      await response.body?.cancel().catch(() => {})
      return null
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** The system's code only: messages may quote an address with a credential in it. */
const reasonOf = (error: unknown): string => {
  const code = (error as { cause?: { code?: unknown } }).cause?.code
  return typeof code === 'string' ? code : 'connection failed'
}
