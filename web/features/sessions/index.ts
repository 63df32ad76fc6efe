/** The door of the conversation list, and of what is asked about a conversation; they load after the composer can take words. */
import { lazy } from 'solid-js'

export const SessionList = lazy(async () => ({ default: (await import('./session-list.tsx')).SessionList }))
export const DeleteSheet = lazy(async () => ({ default: (await import('./session-sheets.tsx')).DeleteSheet }))
export const RenameSheet = lazy(async () => ({ default: (await import('./session-sheets.tsx')).RenameSheet }))
