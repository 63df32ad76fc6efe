/** What stands inside a line. */
import type { Token, Tokens } from 'marked'
import { createEffect, createMemo, Index, type JSX, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { type MathToken, formulaDrawer } from './maths.ts'
import { decodeEntities, safeLink } from './safe-link.ts'

/** Most of what is drawn is plain words (each cell of a long table): those cost one text node, not a tree of conditions. */
export const Inline = (props: { tokens: readonly Token[] }) => {
  const isPlain = createMemo(() => props.tokens.length === 1 && isWords(props.tokens[0] as Token))
  return <>{isPlain() ? wordsOf(props.tokens[0]) : <Index each={props.tokens}>{(token) => <Piece token={token()} />}</Index>}</>
}

const isWords = (token: Token): boolean => (token.type === 'text' || token.type === 'escape') && innerOf(token).length === 0
export const innerOf = (token: Token): Token[] => ('tokens' in token ? token.tokens : undefined) ?? []
const wordsOf = (token: Token | undefined): string => (token === undefined ? '' : decodeEntities('text' in token && typeof token.text === 'string' ? token.text : token.raw))

type Drawer = (props: { token: Token }) => JSX.Element
const Inner: Drawer = (props) => <Inline tokens={innerOf(props.token)} />
const Link = (props: { token: Token; href: string; children: JSX.Element }) => <Show when={safeLink(props.href)} fallback={<span>{props.token.raw}</span>}>{(href) => <a href={href()} title={href()} target="_blank" rel="noopener noreferrer">{props.children}</a>}</Show>

const words: Drawer = (props) => <Show when={isWords(props.token)} fallback={<Inner token={props.token} />}>{wordsOf(props.token)}</Show>
const DRAWERS: Readonly<Record<string, Drawer>> = {
  text: words,
  escape: words,
  strong: (props) => <strong><Inner token={props.token} /></strong>,
  em: (props) => <em><Inner token={props.token} /></em>,
  del: (props) => <del><Inner token={props.token} /></del>,
  codespan: (props) => <code class="in">{(props.token as Tokens.Codespan).text}</code>,
  checkbox: () => null,
  math: (props) => <Formula token={props.token as MathToken} />,
  br: () => <br />,
  link: (props) => <Link token={props.token} href={(props.token as Tokens.Link).href}><Inner token={props.token} /></Link>,
  // Not loaded: a picture address in an answer would tell its server that it was read.
  image: (props) => <Link token={props.token} href={(props.token as Tokens.Image).href}>{wordsOf(props.token) || 'image'}</Link>,
}
const raw: Drawer = (props) => <>{props.token.raw}</>

function Piece(props: { token: Token }) {
  const draw = createMemo(() => (Object.hasOwn(DRAWERS, props.token.type) ? DRAWERS[props.token.type] : undefined) ?? raw)
  return <Dynamic component={draw()} token={props.token} />
}

/** The formula as text until it can be drawn. */
export function Formula(props: { token: MathToken }) {
  let element!: HTMLElement
  createEffect(() => { const draw = formulaDrawer(); if (draw) draw(props.token.text, element, props.token.display); else element.textContent = props.token.text })
  return <span class="formula" classList={{ display: props.token.display }} ref={element} />
}
