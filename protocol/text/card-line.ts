/** A line that is a card (contract api-server.md 10.3). What a card does is never done by itself: a person presses. Pure. */
import * as z from 'zod/mini'

/** A longer line stays text, in UTF-16 units. */
export const CARD_CHARS_MAX = 64 * 1_024
export const CARD_FIELDS_MAX = 32
export const CARD_ACTIONS_MAX = 8

const LINE = /^\s*CARD:(\{.*\})\s*$/
const text = z.catch(z.nullable(z.string()), null)
const Field = z.object({ label: z.string(), value: z.string() })
const Action = z.object({ label: z.string(), value: z.string(), style: z.catch(z.enum(['primary', 'secondary', 'danger']), 'secondary'), mode: z.catch(z.enum(['send_text', 'slash_command', 'open_url']), 'send_text') })
/** Rows that are not what they should be are left out; the card stays. */
const rowsOf = <Row extends z.core.$ZodType>(row: Row, max: number) => z.pipe(z.catch(z.array(z.unknown()), []), z.transform((all) => all.flatMap((one) => { const read = z.safeParse(row, one); return read.success ? [read.data] : [] }).slice(0, max)))
const Card = z.object({
  type: z.string(), id: text, title: text, subtitle: text, body: text, footer: text,
  accent: z.catch(z.enum(['info', 'success', 'warning', 'danger']), 'info'),
  fields: rowsOf(Field, CARD_FIELDS_MAX), actions: rowsOf(Action, CARD_ACTIONS_MAX),
})
export type Card = z.infer<typeof Card>
/** `key`: the same card twice in one message is shown once. */
export type ReadCard = { key: string; card: Card }

/** The card of a line; null when the line stays text: nothing that is broken disappears. `ask.*` is ours alone and never read from text. */
export function readCardLine(line: string): ReadCard | null {
  const json = line.length <= CARD_CHARS_MAX ? LINE.exec(line)?.[1] : undefined
  if (json === undefined) return null
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return null
  }
  const read = z.safeParse(Card, value)
  if (!read.success || read.data.type.startsWith('ask.')) return null
  return { key: read.data.id === null ? `json:${json}` : `id:${read.data.id}`, card: read.data }
}
