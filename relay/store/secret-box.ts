/** A secret that has to be kept: AES-256-GCM with a key in a file of its own, so that the database alone (a backup of it) gives nothing away. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { makePrivateFile } from './private-files.ts'

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
/** Longest secret, in UTF-8 bytes. */
export const SECRET_BYTES_MAX = 2_048

export interface SecretBox {
  /** `name` is bound to it: a sealed value does not open under another one. */
  seal(name: string, secret: string): string
  /** Nothing when it was sealed with another key, or changed. */
  open(name: string, sealed: string): string | null
}

export function createSecretBox(keyFile: string): SecretBox {
  let key: Buffer | null = null
  const keyOf = (): Buffer => {
    if (key) return key
    if (!existsSync(keyFile)) writeFileSync(keyFile, randomBytes(KEY_BYTES), { mode: 0o600, flag: 'wx' })
    makePrivateFile(keyFile)
    key = readFileSync(keyFile)
    if (key.length === KEY_BYTES) return key
    // A broken file opens nothing any more: a new one is as good.
    key = randomBytes(KEY_BYTES)
    writeFileSync(keyFile, key, { mode: 0o600 })
    return key
  }
  return {
    seal(name, secret) {
      if (Buffer.byteLength(secret) > SECRET_BYTES_MAX) throw new RangeError('secret too long')
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyOf(), nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name))
      const body = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url')
    },
    open(name, sealed) {
      try {
        const raw = Buffer.from(sealed, 'base64url')
        const decipher = createDecipheriv('aes-256-gcm', keyOf(), raw.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES }).setAAD(Buffer.from(name)).setAuthTag(raw.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([decipher.update(raw.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
      } catch {
        return null
      }
    },
  }
}
