/** A fenced block with its language and a way to copy exactly its text. A long one is folded; an endless one draws only the lines in sight. */
import { createEffect, createMemo, createSignal, For, onCleanup, Show } from 'solid-js'
import { whenIdle } from '#web/platform/idle.ts'
import { CopyButton } from '../copy-button.tsx'

/** Lines shown of a longer block until it is opened. */
const FOLD_LINES = 40
/** More lines than this scroll inside the block and only those in sight exist. */
const WINDOW_LINES = 400
const LINE_PX = 20
const WINDOW_PX = 480
/** A longer line is cut on the screen; copy gives all of it. In UTF-16 units. */
const LINE_CHARS_MAX = 4_000

const cutLine = (line: string): string => (line.length <= LINE_CHARS_MAX ? line : `${line.slice(0, LINE_CHARS_MAX)} … ${(line.length - LINE_CHARS_MAX).toLocaleString()} more characters`)

export function CodeBlock(props: { text: string; lang: string; live: boolean }) {
  const [whole, setWhole] = createSignal(false)
  const lines = createMemo(() => props.text.split('\n'))
  const isLong = (): boolean => lines().length > FOLD_LINES + 8
  const shown = createMemo(() => (!isLong() || (whole() && lines().length <= WINDOW_LINES) ? lines() : lines().slice(0, FOLD_LINES)).map(cutLine).join('\n'))
  return (
    <div class="codebox">
      <div class="top"><span>{props.lang.split(/\s/)[0] || 'text'}</span><span class="sp" />
        <Show when={isLong()}><button type="button" class="lnk fold" aria-expanded={whole() ? 'true' : 'false'} onClick={() => setWhole(!whole())}>{whole() ? 'Show less' : `Show all ${lines().length.toLocaleString()} lines`}</button></Show>
        <CopyButton label="Copy code" text={() => props.text} />
      </div>
      <Show when={whole() && lines().length > WINDOW_LINES} fallback={<Plain text={shown()} lang={props.lang} live={props.live} />}><LineWindow lines={lines()} /></Show>
    </div>
  )
}

function Plain(props: { text: string; lang: string; live: boolean }) {
  let code!: HTMLElement
  // Colour comes when the block is settled and nobody waits; it is laid over the text and moves nothing.
  createEffect(() => {
    const { text, lang, live } = props
    if (live || lang === '' || typeof Highlight === 'undefined') return
    let unpaint = (): void => undefined
    let over = false
    let takeBack = (): void => undefined
    const giveUp = whenIdle(() => void import('./colour.ts').then(({ askColours, paint }) => {
      if (over) return
      const asked = askColours({ text, language: lang }, (pieces) => {
        const node = code.firstChild
        if (!over && pieces && node instanceof Text && node.data === text) unpaint = paint(node, pieces)
      })
      takeBack = asked.giveUp
    }).catch(() => undefined), 0)
    onCleanup(() => { over = true; giveUp(); takeBack(); unpaint() })
  })
  return <pre tabindex="0"><code ref={code}>{props.text}</code></pre>
}

/** Lines of the same height: which are in sight follows from the position alone. */
function LineWindow(props: { lines: readonly string[] }) {
  const [top, setTop] = createSignal(0)
  const first = createMemo(() => Math.max(0, Math.floor(top() / LINE_PX) - 20))
  const part = createMemo(() => props.lines.slice(first(), first() + Math.ceil(WINDOW_PX / LINE_PX) + 40).map((line) => cutLine(line) || ' '))
  return (
    <section class="lines" tabindex="0" aria-label={`Code, ${props.lines.length} lines`} onScroll={(event) => setTop(event.currentTarget.scrollTop)}>
      <div style={{ height: `${props.lines.length * LINE_PX}px` }}><div class="part" style={{ transform: `translateY(${first() * LINE_PX}px)` }}><For each={part()}>{(line) => <div class="line">{line}</div>}</For></div></div>
    </section>
  )
}
