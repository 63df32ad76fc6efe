/** The state of the link in words. Never "connected" while anything between page and relay is broken. */
import type { LinkState } from '#web/net/relay/relay-socket.ts'

export type ConnectionWords = { tone: 'ok' | 'wait' | 'bad'; text: string; loud: string | null }

export function connectionWords(link: LinkState, online: boolean): ConnectionWords {
  // Said at once, in every tab: the socket notices a lost network only when an answer stays out.
  if (!online) return { tone: 'bad', text: 'this device is offline', loud: 'This device is offline. What you send waits here and goes out by itself.' }
  if (link.kind === 'open') return link.welcome.hermes.ready ? { tone: 'ok', text: 'connected', loud: null } : { tone: 'wait', text: 'Hermes is starting', loud: null }
  if (link.kind === 'waiting' && link.limited) return { tone: 'bad', text: 'too many attempts', loud: 'The relay saw too many failed attempts and asks to wait a few minutes.' }
  const attempt = link.kind === 'waiting' || link.kind === 'connecting' ? link.attempt : 0
  if (attempt <= 1) return { tone: 'wait', text: link.kind === 'waiting' ? 'reconnecting' : 'connecting', loud: null }
  return { tone: 'bad', text: 'relay does not answer', loud: 'The relay does not answer. What you send waits here and goes out by itself.' }
}
