/**
 * Which port (ruling 7): the one asked for, else the one of last time, else the default, else a free one. Browser data hangs on the origin, so a
 * known port is never silently replaced.
 */
import { Refused } from '#protocol/refusal/refusal.ts'
import { DEFAULT_PORT } from '../config.ts'
import type { SettingRepo } from '../store/setting-repo.ts'
import { findRelay } from './probe.ts'

export type Opened = { kind: 'listening'; port: number } | { kind: 'already_running'; port: number }
type Parts = { wanted: number | null; settings: SettingRepo; listen(port: number): Promise<number> }

export async function openPort({ wanted, settings, listen }: Parts): Promise<Opened> {
  const remembered = parsePort(await settings.read('port'))
  const chosen = wanted ?? remembered
  try {
    const port = await listen(chosen ?? DEFAULT_PORT)
    await settings.write('port', String(port))
    return { kind: 'listening', port }
  } catch (error) {
    const { code } = error as { code?: string }
    if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error
    if (chosen === null) {
      const port = await listen(0)
      await settings.write('port', String(port))
      return { kind: 'listening', port }
    }
    if (code === 'EADDRINUSE' && (await findRelay(chosen))) return { kind: 'already_running', port: chosen }
    throw new Refused('port_taken', { port: chosen }, error)
  }
}

export function parsePort(text: string | null): number | null {
  const port = Number(text ?? Number.NaN)
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : null
}
