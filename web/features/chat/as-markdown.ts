/** A conversation as Markdown for elsewhere (chat-experience 7). Pure. */
import type { Block } from '#protocol/turn/turn-fold.ts'
import type { DisplayItem } from '#web/core/transcript/transcript.ts'

/** The words of an answer as they were written. */
export const answerText = (blocks: readonly Block[]): string => blocks.flatMap((block) => (block.kind === 'text' ? [block.text.trim()] : [])).join('\n\n')

export function asMarkdown(items: readonly DisplayItem[]): string {
  const parts = items.flatMap((item) => {
    if (item.kind === 'user') return [`**You:** ${item.text}`]
    if (item.kind === 'notice') return [`**System:** ${item.text}`]
    if (item.kind !== 'turn') return []
    const words = answerText(item.blocks)
    return words === '' ? [] : [`**Hermes:** ${words}`]
  })
  return ['# Hermes conversation', ...parts].join('\n\n').concat('\n')
}
