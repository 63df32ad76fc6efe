/** The door of the conversation list. */
export { SessionList } from './session-list.tsx'
