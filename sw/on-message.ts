/** What a page may say to the worker: which build are you, and take over now. */
import type { Shell } from './shell-files.ts'

type Message = { data: unknown; ports: readonly MessagePort[] }

export function onMessage({ version }: Shell, { data, ports }: Message, takeOver: () => Promise<void>): void {
  const type = (data as { type?: unknown } | null)?.type
  if (type === 'VERSION') ports[0]?.postMessage(version)
  if (type === 'SKIP_WAITING') void takeOver()
}
