/** The door of the claim screen: how a browser becomes a device. */
export { ClaimPage } from './claim-page.tsx'
