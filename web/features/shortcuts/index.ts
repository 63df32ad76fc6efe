/** The door of the sheet of keyboard shortcuts, and of the same table as part of the settings. */
import { lazy } from 'solid-js'

const load = () => import('./shortcut-sheet.tsx')
export const ShortcutSheet = lazy(async () => ({ default: (await load()).ShortcutSheet }))
export const ShortcutTable = lazy(async () => ({ default: (await load()).ShortcutTable }))
