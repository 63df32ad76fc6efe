/** The door of the claim screen: how a browser becomes a device. Who is one already never loads it. */
import { lazy } from 'solid-js'

export const ClaimPage = lazy(async () => ({ default: (await import('./claim-page.tsx')).ClaimPage }))
