/** An upstream that answers what a test says and remembers what it was asked. */
import type { UpstreamAnswer, UpstreamRequest, UpstreamTransport } from '#relay/lease/upstream-transport.ts'

export const json = (body: unknown, status = 200): UpstreamAnswer => ({ kind: 'answer', status, contentType: 'application/json', body: JSON.stringify(body), retryAfterS: null })

export interface FakeTransport extends UpstreamTransport {
  readonly asked: UpstreamRequest[]
  answer: (request: UpstreamRequest) => UpstreamAnswer
}

export function createFakeTransport(): FakeTransport {
  const asked: UpstreamRequest[] = []
  return {
    kind: 'dashboard', isDemo: false, asked,
    answer: ({ path }) => (path === '/api/status' ? json({ version: '0.19.0', auth_required: false }) : json({})),
    async request(request) {
      asked.push(request)
      return this.answer(request)
    },
    openGateway(events) {
      queueMicrotask(() => events.onClose({ code: null, reason: 'fake', refusal: null }))
      return { send() {}, close() {} }
    },
    close() {},
  }
}
