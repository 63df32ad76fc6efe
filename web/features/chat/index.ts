/** The door of a conversation; it loads beside the first paint. */
import { lazy } from 'solid-js'

/** `preload` begins to load it, before anything is known of who is here. */
export const ChatPage = lazy(() => import('./chat-page.tsx'))
export { loadTranscript } from './load-transcript.ts'
