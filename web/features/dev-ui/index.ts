/** The door of the page that shows every primitive; built only for those who work on them. */
import { lazy } from 'solid-js'

export const DevUiPage = import.meta.env.DEV || import.meta.env.VITE_DEV_UI === '1' ? lazy(() => import('./dev-ui-page.tsx')) : null
