/** Copying a selection whose middle is not in the document: rows that are not drawn give their words from what they were made of. */
import type { Row } from './row.ts'

/** Words of one row as they were written. */
export function rowText(row: Row): string {
  switch (row.kind) {
    case 'block': return row.token.raw.trim()
    case 'user': return row.message.text
    case 'notice': case 'thinking': return row.text
    case 'tools': return row.tools.map((tool) => [tool.name, tool.caption ?? '', tool.result ?? tool.error ?? ''].filter(Boolean).join('\n')).join('\n\n')
    default: return ''
  }
}

export function copySelection(event: ClipboardEvent, rows: readonly Row[]): void {
  const range = (() => { const selection = document.getSelection(); return selection && !selection.isCollapsed && selection.rangeCount > 0 ? selection.getRangeAt(0) : null })()
  const [from, to] = [rowOf(range?.startContainer), rowOf(range?.endContainer)]
  if (!range || !from || !to || from === to) return // One row is whole in the document: the browser knows best.
  const first = rows.findIndex((row) => row.key === from.dataset['key'])
  const last = rows.findIndex((row) => row.key === to.dataset['key'])
  if (first < 0 || last <= first) return
  const head = document.createRange()
  head.setStart(range.startContainer, range.startOffset)
  head.setEndAfter(from)
  const tail = document.createRange()
  tail.setStartBefore(to)
  tail.setEnd(range.endContainer, range.endOffset)
  event.clipboardData?.setData('text/plain', [head.toString(), ...rows.slice(first + 1, last).map(rowText), tail.toString()].map((part) => part.trim()).filter(Boolean).join('\n\n'))
  event.preventDefault()
}

const rowOf = (node: Node | undefined): HTMLElement | null => (node instanceof Element ? node : node?.parentElement)?.closest<HTMLElement>('[data-key]') ?? null
