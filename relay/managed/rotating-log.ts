/** A log that never grows beyond twice its limit: the file of now, and the one before. */
import { appendFileSync, existsSync, renameSync, statSync } from 'node:fs'
import { makePrivateFile } from '#relay/store/private-files.ts'

export const LOG_BYTES_MAX = 1_024 * 1_024

export function createRotatingLog(path: string, bytesMax = LOG_BYTES_MAX): { write(chunk: Buffer | string): void } {
  makePrivateFile(path)
  let bytes = statSync(path).size
  return {
    /** A full disk must not end the relay over a log. */
    write(chunk) {
      try {
        if (bytes + chunk.length > bytesMax && existsSync(path)) {
          renameSync(path, `${path}.1`)
          makePrivateFile(path)
          bytes = 0
        }
        appendFileSync(path, chunk)
        bytes += chunk.length
      } catch {
        // Said nowhere: the log itself is what is missing.
      }
    },
  }
}
