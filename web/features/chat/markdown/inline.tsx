/** What stands inside a line. */
import type { Token, Tokens } from 'marked'
import { createEffect, createMemo, Index, Match, Show, Switch } from 'solid-js'
import { type MathToken, formulaDrawer } from './maths.ts'
import { decodeEntities, safeLink } from './safe-link.ts'

export const Inline = (props: { tokens: readonly Token[] }) => <Index each={props.tokens}>{(token) => <Piece token={token()} />}</Index>

function Piece(props: { token: Token }) {
  const type = createMemo(() => props.token.type)
  const inner = () => ('tokens' in props.token ? props.token.tokens : undefined) ?? []
  const words = (): string => decodeEntities('text' in props.token && typeof props.token.text === 'string' ? props.token.text : props.token.raw)
  return (
    <Switch fallback={<>{props.token.raw}</>}>
      <Match when={type() === 'text' || type() === 'escape'}><Show when={inner().length > 0} fallback={<>{words()}</>}><Inline tokens={inner()} /></Show></Match>
      <Match when={type() === 'strong'}><strong><Inline tokens={inner()} /></strong></Match>
      <Match when={type() === 'em'}><em><Inline tokens={inner()} /></em></Match>
      <Match when={type() === 'del'}><del><Inline tokens={inner()} /></del></Match>
      <Match when={type() === 'codespan'}><code class="in">{(props.token as Tokens.Codespan).text}</code></Match>
      <Match when={type() === 'checkbox'}>{null}</Match>
      <Match when={type() === 'math'}><Formula token={props.token as MathToken} /></Match>
      <Match when={type() === 'br'}><br /></Match>
      <Match when={type() === 'link'}>
        <Show when={safeLink((props.token as Tokens.Link).href)} fallback={<span>{props.token.raw}</span>}>{(href) => <a href={href()} title={href()} target="_blank" rel="noopener noreferrer"><Inline tokens={inner()} /></a>}</Show>
      </Match>
      <Match when={type() === 'image'}>
        {/* Not loaded: a picture address in an answer would tell its server that it was read. */}
        <Show when={safeLink((props.token as Tokens.Image).href)} fallback={<span>{props.token.raw}</span>}>{(href) => <a href={href()} title={href()} target="_blank" rel="noopener noreferrer">{words() || 'image'}</a>}</Show>
      </Match>
    </Switch>
  )
}

/** The formula as text until it can be drawn. */
export function Formula(props: { token: MathToken }) {
  let element!: HTMLElement
  createEffect(() => { const draw = formulaDrawer(); if (draw) draw(props.token.text, element, props.token.display); else element.textContent = props.token.text })
  return <span class="formula" classList={{ display: props.token.display }} ref={element} />
}
