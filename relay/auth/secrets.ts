/** Tokens and claim codes: how they are drawn, read from what a person typed, and turned into the only thing that is stored. */
import { createHash, randomInt } from 'node:crypto'

export const TOKEN_BYTES = 32
/** Leading characters kept in clear beside the hash: the key of the rate limit and the name of a token in a log (ruling 8). */
export const TOKEN_PREFIX_CHARS = 8
export const CODE_CHARS = 6
const CODE_ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

/** Uniform over the alphabet: `randomInt` rejects instead of taking a remainder. */
export const drawCode = (): string => Array.from({ length: CODE_CHARS }, () => CODE_ALPHABET[randomInt(CODE_ALPHABET.length)]).join('')

/** What a person typed, as a code; `null` when it cannot be one. */
export function parseCode(typed: string): string | null {
  const code = typed.trim().toUpperCase()
  return /^[A-Z0-9]{6}$/.test(code) ? code : null
}

/** A bearer as it may travel: one line of visible characters. Anything else is no token (contract relay.md 13). */
export function parseToken(raw: string): string | null {
  const token = raw.replace(/^[ \t]+|[ \t]+$/g, '')
  return /^[\x21-\x7e]{8,512}$/.test(token) ? token : null
}

export const hashSecret = (secret: string): string => createHash('sha256').update(secret).digest('hex')

export const prefixOf = (token: string): string => token.slice(0, TOKEN_PREFIX_CHARS)
