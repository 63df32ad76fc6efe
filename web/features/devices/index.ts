/** The door of the devices page; it loads when it is opened. */
import { lazy } from 'solid-js'
export const DevicesPage = lazy(() => import('./devices-page.tsx'))
