/** The door of a conversation; it loads beside the first paint. */
import { lazy } from 'solid-js'

const load = () => import('./chat-page.tsx')
export const ChatPage = lazy(load)
