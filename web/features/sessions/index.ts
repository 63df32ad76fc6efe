/** The door of the conversation list; it loads after the composer can take words. */
import { lazy } from 'solid-js'

export const SessionList = lazy(async () => ({ default: (await import('./session-list.tsx')).SessionList }))
