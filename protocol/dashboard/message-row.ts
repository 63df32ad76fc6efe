/** Rows of a stored conversation, as dashboard REST gives them (contract gateway.md 13, dashboard.md 5.4). */
import * as z from 'zod/mini'

const ToolCall = z.object({ id: z.optional(z.nullable(z.string())), call_id: z.optional(z.nullable(z.string())), function: z.optional(z.object({ name: z.optional(z.string()), arguments: z.optional(z.nullable(z.string())) })) })

export const MessageRow = z.object({
  id: z.number(), role: z.string(), content: z.optional(z.unknown()), tool_calls: z.optional(z.nullable(z.array(ToolCall))), tool_name: z.optional(z.nullable(z.string())),
  tool_call_id: z.optional(z.nullable(z.string())), timestamp: z.optional(z.nullable(z.number())), finish_reason: z.optional(z.nullable(z.string())),
  reasoning: z.optional(z.nullable(z.string())), reasoning_content: z.optional(z.nullable(z.string())), display_kind: z.optional(z.nullable(z.string())),
  active: z.optional(z.nullable(z.union([z.number(), z.boolean()]))),
})
export type MessageRow = z.infer<typeof MessageRow>

/** `limit` is null when none was asked for (0.19.0). */
export const Pagination = z.object({ limit: z.optional(z.nullable(z.number())), offset: z.optional(z.number()), returned: z.optional(z.number()), order: z.optional(z.string()) })

const Page = z.object({ session_id: z.optional(z.string()), messages: z.array(z.unknown()), pagination: z.optional(z.nullable(Pagination)) })

/** `slots`: one for each position of the page, `null` where a row cannot be read or is not active. */
export type MessagePage = { sessionId: string | null; rows: MessageRow[]; slots: (MessageRow | null)[]; skipped: number; pagination: z.infer<typeof Pagination> | null }

/** Parses one page; rows that cannot be read are skipped and counted. `null` when it is no page at all. */
export function parseMessagePage(body: unknown): MessagePage | null {
  const page = Page.safeParse(body)
  if (!page.success) return null
  const slots = page.data.messages.map((raw) => {
    const row = MessageRow.safeParse(raw)
    return row.success && row.data.active !== 0 && row.data.active !== false ? row.data : null
  })
  const rows = slots.filter((row) => row !== null)
  return { sessionId: page.data.session_id ?? null, rows, slots, skipped: page.data.messages.length - rows.length, pagination: page.data.pagination ?? null }
}

/** The words of a row: a string, or the text parts of a list. */
export function rowText(row: MessageRow): string {
  if (typeof row.content === 'string') return row.content
  if (!Array.isArray(row.content)) return ''
  return row.content.flatMap((part) => (typeof part === 'object' && part !== null && typeof (part as { text?: unknown }).text === 'string' ? [(part as { text: string }).text] : [])).join('\n')
}
