/** Headers of every answer: what the page may load, who may frame it, what is remembered (ruling 16). */

export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' data: blob:", "font-src 'self'", "manifest-src 'self'", "worker-src 'self'",
  "connect-src 'self' https: wss: http://localhost:* ws://localhost:*", "form-action 'none'", "base-uri 'none'", "frame-ancestors 'none'",
  "require-trusted-types-for 'script'", 'trusted-types app',
].join('; ')

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'accelerometer=(), browsing-topics=(), camera=(self), display-capture=(), geolocation=(self), gyroscope=(), magnetometer=(), microphone=(self), midi=(), payment=(), publickey-credentials-get=(self), screen-wake-lock=(self), serial=(), usb=()',
}

/**
 * The opener policy is for trustworthy origins only (this machine, TLS): on plain http a browser ignores it and complains. Browsers
 * send fetch metadata to trustworthy origins alone, so that a TLS proxy which forwards nothing is recognised too.
 */
export const OPENER_POLICY = ['cross-origin-opener-policy', 'same-origin'] as const
export function isTrustworthy(request: Request): boolean {
  const name = /^(?:\[([^\]]*)\]|([^:]*))/.exec(request.headers.get('host') ?? '')
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|::1)$/i.test(name?.[1] ?? name?.[2] ?? '') || request.headers.get('x-forwarded-proto') === 'https' || request.headers.has('sec-fetch-site')
}

/** Answers of the API are nobody's cache's business. */
export const NO_STORE = 'no-store'
