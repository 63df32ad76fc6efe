/** `#/share`: the service worker has kept what another program shared. Taken out of the address bar at once: neither a reload nor Back comes here again. */
export type ShareFragment = 'shared' | 'refused' | null

export function takeShareFragment(): ShareFragment {
  const found = location.hash === '#/share' ? 'shared' : location.hash === '#/share-failed' ? 'refused' : null
  if (found) history.replaceState(history.state, '', location.pathname)
  return found
}
