/** Time and chance of this browser; edges pass them into cores as inputs. */
export const nowMs = (): number => Date.now()
export const roll = (): number => Math.random()

/** A random id; `randomUUID` is missing on plain LAN http (ruling 17), `getRandomValues` is not. */
export function newId(): string {
  if (typeof crypto.randomUUID === 'function') return crypto.randomUUID()
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`
}
