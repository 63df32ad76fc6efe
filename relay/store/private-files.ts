/** Folders and files that only their owner can read: 0700 and 0600, also when an earlier program was more generous. */
import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from 'node:fs'

export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  chmodSync(path, 0o700)
}

export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600))
  chmodSync(path, 0o600)
}
