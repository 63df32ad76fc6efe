/** The frame of the relay socket: one JSON object per text frame (contract relay.md 2). Unknown keys are ignored. */
import * as z from 'zod/mini'

/** Largest frame that the relay accepts from a page, in bytes of UTF-8 (1 MiB of text, escaped, plus the envelope). */
export const FRAME_BYTES_MAX = 4 * 1_024 * 1_024

export const Envelope = z.object({
  channel: z.string().check(z.minLength(1), z.maxLength(64)),
  type: z.string().check(z.minLength(1), z.maxLength(64)),
  id: z.optional(z.string().check(z.maxLength(64))),
  payload: z.prefault(z.record(z.string(), z.unknown()), {}),
})
export type Envelope = z.infer<typeof Envelope>

/** Parses one text frame; `null` for anything that is not an envelope (never throws: a frame must not kill a socket). */
export function parseEnvelope(text: string): Envelope | null {
  let raw: unknown
  try {
    raw = JSON.parse(text)
  } catch {
    return null
  }
  const parsed = Envelope.safeParse(raw)
  return parsed.success ? parsed.data : null
}
