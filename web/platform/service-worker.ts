/**
 * The service worker as the page sees it: registered when nobody waits, looked after, and replaced only when a person says so.
 * A version that was applied once in this window is not offered again there, whatever the browser says about it.
 */
import { createSignal } from 'solid-js'
import { saveAll } from './before-leave.ts'
import { keepPlace } from './kept-place.ts'
import { trustedScript, WORKER_URL } from './trusted-types.ts'
import { hasUnsavedEdit } from './unsaved-edit.ts'

const SCOPE = '/app/'
/** Between two looks for a new version, in ms. */
const CHECK_EVERY_MS = 3_600_000
/** Whatever happens, not more often, in ms. */
const CHECK_GAP_MS = 10_000
/** A worker that does not say its version is not offered, in ms. */
const ANSWER_WITHIN_MS = 3_000
/** A new version is loaded or given up, in ms. */
const INSTALL_WITHIN_MS = 20_000
/** Another tab took the new version while words are being written here: asked again after this long, in ms. */
const EDIT_LOOK_MS = 1_000
const APPLIED_KEY = 'hermes-applied'

/** The version that waits, if it may be offered. */
const [offer, setOffer] = createSignal<string | null>(null)
export { offer }

const container = (): ServiceWorkerContainer | null => (isSecureContext && 'serviceWorker' in navigator ? navigator.serviceWorker : null)
const remembered = (): string[] => { try { return sessionStorage.getItem(APPLIED_KEY)?.split(',') ?? [] } catch { return [] } }
const remember = (version: string): void => { try { sessionStorage.setItem(APPLIED_KEY, [...remembered(), version].slice(-8).join()) } catch { /* It may be offered once more. */ } }
const withTimeout = <Value>(value: Promise<Value>, ms: number, otherwise: Value): Promise<Value> => Promise.race([value, new Promise<Value>((resolve) => setTimeout(resolve, ms, otherwise))])

const versionOf = (worker: ServiceWorker): Promise<string | null> => withTimeout(new Promise((resolve) => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = ({ data }: MessageEvent<unknown>) => resolve(typeof data === 'string' ? data : null)
  worker.postMessage({ type: 'VERSION' }, [port2])
}), ANSWER_WITHIN_MS, null)

let registration: ServiceWorkerRegistration | null = null
let checkedAtMs = 0
let isLeaving = false
/** The version that a person put off; it comes by itself when all tabs were closed. */
let putOff: string | null = null
/** A person pressed Reload on a page that is of no use as it is. */
let isForced = false

export async function startServiceWorker(): Promise<void> {
  const workers = container()
  if (!workers || registration || !import.meta.env.PROD) return
  // The first worker takes a page over that it fits; a later one has other files.
  let hadWorker = workers.controller !== null
  workers.addEventListener('controllerchange', () => { if (hadWorker) void leave(); hadWorker = true })
  const found = await workers.register(trustedScript(WORKER_URL), { scope: SCOPE, updateViaCache: 'none' }).catch(() => null) // No relay, or a browser that forbids it: the page works without.
  if (!found) return
  registration = found
  checkedAtMs = Date.now() // To register is to look.
  found.addEventListener('updatefound', () => { const { installing } = found; installing?.addEventListener('statechange', () => void look()) })
  setInterval(() => void checkForUpdate(), CHECK_EVERY_MS)
  document.addEventListener('visibilitychange', () => { if (document.visibilityState === 'visible') void checkForUpdate() })
  await look()
}

/** Also when the link is there again: a relay that was updated has been restarted. */
export async function checkForUpdate(): Promise<void> {
  if (!registration || !navigator.onLine || Date.now() - checkedAtMs < CHECK_GAP_MS) return
  checkedAtMs = Date.now()
  await registration.update().catch(() => undefined) // Out of reach: the next look finds it.
  await look()
}

async function look(): Promise<void> {
  const waiting = registration?.waiting
  if (!waiting || !container()?.controller) return
  const version = await versionOf(waiting)
  if (version !== null && version !== putOff && !remembered().includes(version)) setOffer(version)
}

/** What a person chose: every open tab saves and reloads when the new version has taken over. */
export function applyUpdate(): void {
  const version = offer()
  const waiting = registration?.waiting
  setOffer(null)
  if (version === null || !waiting) return
  remember(version)
  void saveAll().then(() => waiting.postMessage({ type: 'SKIP_WAITING' }))
}

export function putUpdateOff(): void {
  putOff = offer()
  setOffer(null)
}

async function leave(): Promise<void> {
  if (isLeaving) return
  isLeaving = true
  while (!isForced && hasUnsavedEdit()) await new Promise((resolve) => setTimeout(resolve, EDIT_LOOK_MS))
  keepPlace()
  await saveAll()
  location.reload()
}

/** For a page that does not fit the relay any more: the newest version, or the network's page when there is no newer one. */
export async function reloadFresh(): Promise<void> {
  isForced = true
  const found = await container()?.getRegistration(SCOPE).catch(() => undefined)
  if (!found) return leave()
  const isReachable = await withTimeout(found.update().then(() => true, () => false), INSTALL_WITHIN_MS, false)
  const fresh = found.installing ?? found.waiting
  if (fresh && (await withTimeout(installed(fresh), INSTALL_WITHIN_MS, false))) {
    const version = await versionOf(fresh)
    if (version !== null) remember(version)
    container()?.addEventListener('controllerchange', () => void leave())
    fresh.postMessage({ type: 'SKIP_WAITING' })
    setTimeout(() => void leave(), ANSWER_WITHIN_MS)
    return
  }
  // Nothing newer, and yet something is missing: what was kept is of no use. Without the relay it is still better than nothing.
  if (isReachable && !fresh) await found.unregister().catch(() => false)
  await leave()
}

const installed = (worker: ServiceWorker): Promise<boolean> => new Promise((resolve) => {
  const look = (): void => { if (worker.state === 'installed' || worker.state === 'activated') resolve(true); else if (worker.state === 'redundant') resolve(false) }
  worker.addEventListener('statechange', look)
  look()
})
