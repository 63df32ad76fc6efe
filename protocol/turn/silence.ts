/** Text by which an agent says that it says nothing (contract gateway.md 7.1). */
const MARKERS = new Set(['NO_REPLY', '[NO_REPLY]', 'SILENT', '[SILENT]', '<SILENT>', '(SILENT)'])

/** True when the whole text, trimmed and freed of surrounding quotes, is a silence marker. */
export function isSilenceMarker(text: string): boolean {
  if (text.length > 64) return false
  const bare = text.trim().replace(/^["'`]+|["'`]+$/g, '').trim().toUpperCase()
  return MARKERS.has(bare)
}
