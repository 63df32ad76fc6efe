/** Markdown as elements, from marked's tokens. No HTML is ever made from text; raw HTML is shown as what it is: text. */
import '../markdown.css'
import type { Token, Tokens } from 'marked'
import { createMemo, Index, Match, Show, Switch } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { CodeBlock } from './code-block.tsx'
import { Formula, Inline } from './inline.tsx'
import type { MathToken } from './maths.ts'
import type { BlockToken } from './settled-blocks.ts'

/** By index: an open block that grows keeps its element, and with it a selection. */
const BlockList = (props: { tokens: readonly Token[] }) => <Index each={props.tokens.filter((token) => token.type !== 'space')}>{(token) => <Block token={token()} level={6} live={false} />}</Index>

export function Block(props: { token: BlockToken; level: number; live: boolean }) {
  const type = createMemo(() => props.token.type)
  const inner = () => ('tokens' in props.token ? props.token.tokens : undefined) ?? []
  return (
    <Switch fallback={<p>{props.token.raw}</p>}>
      <Match when={type() === 'paragraph'}><p dir="auto" classList={{ continues: props.token.continues === true }}><Inline tokens={inner()} /></p></Match>
      <Match when={type() === 'text'}><Show when={inner().length > 0} fallback={<span>{props.token.raw}</span>}><span><Inline tokens={inner()} /></span></Show></Match>
      <Match when={type() === 'heading'}><Dynamic component={`h${props.level}`} class={`hd-${(props.token as Tokens.Heading).depth}`}><Inline tokens={inner()} /></Dynamic></Match>
      <Match when={type() === 'code'}><CodeBlock text={(props.token as Tokens.Code).text} lang={(props.token as Tokens.Code).lang ?? ''} live={props.live} /></Match>
      <Match when={type() === 'blockquote'}><blockquote class="md"><BlockList tokens={inner()} /></blockquote></Match>
      <Match when={type() === 'hr'}><hr /></Match>
      <Match when={type() === 'list'}><List token={props.token as Tokens.List} continues={props.token.continues === true} /></Match>
      <Match when={type() === 'table'}><Table token={props.token as Tokens.Table} isPiece={props.token.split === true} isRest={props.token.continues === true} /></Match>
      <Match when={type() === 'math'}><p><Formula token={props.token as MathToken} /></p></Match>
      <Match when={type() === 'def'}>{null}</Match>
    </Switch>
  )
}

const List = (props: { token: Tokens.List; continues: boolean }) => (
  <Dynamic component={props.token.ordered ? 'ol' : 'ul'} class={props.continues ? 'continues-list' : ''} start={props.token.ordered && props.token.start !== 1 ? props.token.start : undefined}>
    <Index each={props.token.items}>{(item) => (
      <li classList={{ task: item().task }}><Show when={item().task}><input type="checkbox" checked={item().checked ?? false} disabled aria-label={item().checked ? 'done' : 'open'} /></Show><div class="md"><BlockList tokens={item().tokens.filter((token) => token.type !== 'checkbox')} /></div></li>
    )}</Index>
  </Dynamic>
)

const align = (way: string | null): string => (way === 'right' || way === 'center' ? `al-${way}` : '')
const Table = (props: { token: Tokens.Table; isPiece: boolean; isRest: boolean }) => (
  <section class="tbl" classList={{ split: props.isPiece, rest: props.isRest }} tabindex="0" aria-label={`Table, ${props.token.header.length} columns, ${props.token.rows.length} rows`}><table>
    <thead classList={{ sr: props.isRest }}><tr><Index each={props.token.header}>{(cell) => <th scope="col" class={align(cell().align)}><Inline tokens={cell().tokens} /></th>}</Index></tr></thead>
    <tbody><Index each={props.token.rows}>{(row) => <tr><Index each={row()}>{(cell) => <td class={align(cell().align)}><Inline tokens={cell().tokens} /></td>}</Index></tr>}</Index></tbody>
  </table></section>
)
