/** The door of the settings; they load when they are opened. */
import { lazy } from 'solid-js'

export const SettingsPage = lazy(() => import('./settings-page.tsx'))
