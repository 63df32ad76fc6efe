/** How 0.19.0 stores a prompt with `@` references: they are taken out, and what became of them is appended (context_references.py). */
const REFERENCE = /(?<![\w/])@(?:(?:diff|staged)\b|(?:file|folder|git|url):\S+)/g

export function storedPrompt(text: string): string {
  const references = text.match(REFERENCE)
  if (!references) return text
  const stripped = text.replace(REFERENCE, '').replace(/\s{2,}/g, ' ').replace(/\s+([,.;:!?])/g, '$1').trim()
  return `${stripped}\n\n--- Context Warnings ---\n${references.map((one) => `- ${one}: the demo reads nothing`).join('\n')}`.trim()
}
