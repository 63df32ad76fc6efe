/** Markdown as elements, from marked's tokens. No HTML is ever made from text; raw HTML is shown as what it is: text. */
import '../markdown.css'
import type { Token, Tokens } from 'marked'
import { createMemo, Index, type JSX, Show } from 'solid-js'
import { Dynamic } from 'solid-js/web'
import { CodeBlock } from './code-block.tsx'
import { Formula, Inline, innerOf } from './inline.tsx'
import type { MathToken } from './maths.ts'
import type { BlockToken } from './settled-blocks.ts'

/** By index: an open block that grows keeps its element, and with it a selection. */
const BlockList = (props: { tokens: readonly Token[] }) => <Index each={props.tokens.filter((token) => token.type !== 'space')}>{(token) => <Block token={token()} level={6} live={false} />}</Index>

type Drawer = (props: { token: BlockToken; level: number; live: boolean }) => JSX.Element
const DRAWERS: Readonly<Record<string, Drawer>> = {
  paragraph: (props) => <p dir="auto" classList={{ continues: props.token.continues === true }}><Inline tokens={innerOf(props.token)} /></p>,
  text: (props) => <Show when={innerOf(props.token).length > 0} fallback={<span>{props.token.raw}</span>}><span><Inline tokens={innerOf(props.token)} /></span></Show>,
  heading: (props) => <Dynamic component={`h${props.level}`} class={`hd-${(props.token as Tokens.Heading).depth}`}><Inline tokens={innerOf(props.token)} /></Dynamic>,
  code: (props) => <CodeBlock text={(props.token as Tokens.Code).text} lang={(props.token as Tokens.Code).lang ?? ''} live={props.live} />,
  blockquote: (props) => <blockquote class="md"><BlockList tokens={innerOf(props.token)} /></blockquote>,
  hr: () => <hr />,
  list: (props) => <List token={props.token as Tokens.List} continues={props.token.continues === true} />,
  table: (props) => <Table token={props.token as Tokens.Table} isPiece={props.token.split === true} isRest={props.token.continues === true} />,
  math: (props) => <p><Formula token={props.token as MathToken} /></p>,
  def: () => null,
}
const raw: Drawer = (props) => <p>{props.token.raw}</p>

export function Block(props: { token: BlockToken; level: number; live: boolean }) {
  const draw = createMemo(() => (Object.hasOwn(DRAWERS, props.token.type) ? DRAWERS[props.token.type] : undefined) ?? raw)
  return <Dynamic component={draw()} token={props.token} level={props.level} live={props.live} />
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
