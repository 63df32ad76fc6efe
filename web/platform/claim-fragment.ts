/** The one-time code of `/app/#claim=CODE`, taken out of the address bar at once: a reload or a shared link must not carry it. */
export function takeClaimCode(): string | null {
  const found = /^#claim=([0-9A-Za-z]{6})$/.exec(location.hash)?.[1]
  if (location.hash.startsWith('#claim')) history.replaceState(null, '', location.pathname)
  return found?.toUpperCase() ?? null
}
