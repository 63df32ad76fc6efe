/** Formulas: found while the text is read, drawn as MathML by a chunk that is loaded when the first one is seen. */
import { createSignal } from 'solid-js'
import { Marked, type TokenizerAndRendererExtension, type Tokens } from 'marked'

export type MathToken = Tokens.Generic & { type: 'math'; text: string; display: boolean }
/** Longest formula, in UTF-16 units; a longer one is shown as text. */
export const FORMULA_CHARS_MAX = 4_000

/** `$x$` on one line, not touching spaces on the inside and no digit behind, so that prices stay prices; `$$…$$` also over lines. */
const INLINE = /^\$(?![\s$])((?:\\.|[^\\$\n])+?)(?<!\s)\$(?!\d)/
const BLOCK = /^\$\$\s*([\s\S]+?)\s*\$\$(?:\n|$)/

const inlineMath: TokenizerAndRendererExtension = {
  name: 'math', level: 'inline', start: (text) => { const at = text.indexOf('$'); return at < 0 ? undefined : at },
  tokenizer(text): MathToken | undefined {
    const found = /^\$\$([^$\n]+?)\$\$/.exec(text) ?? INLINE.exec(text)
    return found && (found[1] as string).length <= FORMULA_CHARS_MAX ? { type: 'math', raw: found[0], text: found[1] as string, display: false } : undefined
  },
}
const blockMath: TokenizerAndRendererExtension = {
  name: 'mathBlock', level: 'block', start: (text) => { const at = text.indexOf('\n$$'); return at < 0 ? undefined : at + 1 },
  tokenizer(text): MathToken | undefined {
    const found = BLOCK.exec(text)
    return found && (found[1] as string).length <= FORMULA_CHARS_MAX ? { type: 'math', raw: found[0], text: found[1] as string, display: true } : undefined
  },
}

/** Reads GFM with hard breaks and formulas; raw HTML becomes a token that is shown as text. */
export const reader = new Marked({ gfm: true, breaks: true, extensions: [inlineMath, blockMath] })

type Draw = (formula: string, element: HTMLElement, display: boolean) => void
const [draw, setDraw] = createSignal<Draw | null>(null)
let asked = false
/** How to draw, once the chunk is here; `null` until then, and for ever when it cannot be loaded. */
export function formulaDrawer(): Draw | null {
  if (!asked) { asked = true; void import('./formula.ts').then(({ drawFormula }) => setDraw(() => drawFormula)).catch(() => undefined) }
  return draw()
}
