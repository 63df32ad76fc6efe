/** The door of the page on which a person chooses what answers; it loads when it is opened. */
import { lazy } from 'solid-js'
export const AgentPage = lazy(() => import('./agent-page.tsx'))
