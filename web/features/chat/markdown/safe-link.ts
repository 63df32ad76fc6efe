/** Links that may be followed: http, https, mailto. Everything else is shown as text. */
export function safeLink(href: string): string | null {
  try {
    const url = new URL(href)
    return url.protocol === 'http:' || url.protocol === 'https:' || url.protocol === 'mailto:' ? url.href : null
  } catch {
    return null // Relative links point into a machine that this page is not on.
  }
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', hellip: '…', mdash: '—', ndash: '–' }
/** The few entities that people and models write. */
export const decodeEntities = (text: string): string => (text.includes('&') ? text.replace(/&(?:#(\d{1,6})|([a-z]{2,6}));/gi, (all, code: string | undefined, name: string | undefined) => {
  if (code) { const point = Number(code); return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : all }
  return NAMED[(name ?? '').toLowerCase()] ?? all
}) : text)
