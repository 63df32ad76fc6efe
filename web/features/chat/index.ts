/** The door of a conversation; it loads beside the first paint. */
import { lazy } from 'solid-js'

/** Begins to load it, before anything is known of who is here. */
export const loadChat = () => import('./chat-page.tsx')
export const ChatPage = lazy(loadChat)
