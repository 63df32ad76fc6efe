/** The text of a prompt with its attachments: references first, a blank line, then the words (contract gateway.md 5.1, 6.4). */
export function submitText(references: readonly string[], prose: string): string {
  const lines = references.filter((reference) => reference.trim() !== '').join('\n')
  return [lines, prose].filter((part) => part !== '').join('\n\n')
}
