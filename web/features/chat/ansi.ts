/** Terminal output as coloured pieces: the eight colours and bold survive, every other control sequence is taken out. Pure. */
export type AnsiPiece = { text: string; colour: number | null; bold: boolean }

// CSI, OSC (ended by BEL or ST), other escapes, and control characters except tab and newline.
const SEQUENCE = /\x1b\[([0-9;?]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[@-Z\\-_]?|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g

export function readAnsi(raw: string): AnsiPiece[] {
  const text = raw.replace(/\r\n/g, '\n').replace(/[^\n]*\r(?=[^\n])/g, '') // A line that was drawn over shows its last state.
  const pieces: AnsiPiece[] = []
  let colour: number | null = null
  let bold = false
  let at = 0
  const push = (end: number): void => { if (end > at) pieces.push({ text: text.slice(at, end), colour, bold }) }
  for (const match of text.matchAll(SEQUENCE)) {
    push(match.index)
    at = match.index + match[0].length
    if (match[2] !== 'm') continue
    for (const code of (match[1] || '0').split(';').map(Number)) {
      if (code === 0) { colour = null; bold = false }
      else if (code === 1) bold = true
      else if (code === 22) bold = false
      else if (code === 39) colour = null
      else if (code >= 30 && code <= 37) colour = code - 30
      else if (code >= 90 && code <= 97) colour = code - 90
      else if (code === 38 || code === 48) break // 256 colours and true colour: the rest are its parameters.
    }
  }
  push(text.length)
  return pieces
}
