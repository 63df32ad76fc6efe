/**
 * Items of a conversation as rows. Finished text is read once and remembered by its words; a running answer grows by blocks of which
 * only the last ones are read again (spikes-web.md 3, 4).
 */
import type { DisplayItem } from '#web/core/transcript/transcript.ts'
import type { AskView } from '#protocol/turn/ask.ts'
import type { Block, ToolBlock, Turn } from '#protocol/turn/turn-fold.ts'
import { answerText } from '../as-markdown.ts'
import { isAskOf } from '../is-ask-of.ts'
import { type BlockToken, readBlocks } from '../markdown/settled-blocks.ts'
import type { LiveBlocks } from './live-blocks.ts'
import { blockPx, type Row, userPx } from './row.ts'

/** Characters of finished text whose blocks are remembered. */
export const READ_CHARS_MAX = 4_000_000

/** `retryTurnId`: the turn that may be run again. `thoughtS`: seconds of the thought in a row, where they are known. */
export type HowShown = { retryTurnId: string | null; showThinking: boolean; thoughtS(key: string): number | null; /** Rows know no durations and no changes: what was seen live is put back. */ seenTool(tool: ToolBlock): ToolBlock }
export type RowMaker = ReturnType<typeof createRowMaker>

export function createRowMaker() {
  const read = new Map<string, { text: string; rows: Row[] }>()
  let chars = 0

  /** The blocks of one finished text, in rows that stay the same objects as long as the text does. */
  function textRows(prefix: string, item: string, text: string, levelBefore: number, live: LiveBlocks): Row[] {
    const known = read.get(prefix)
    if (known?.text === text) return known.rows
    const rows = blockRows(prefix, item, live.whole(text) ?? readBlocks(text), levelBefore, false)
    chars += text.length - (known?.text.length ?? 0)
    read.delete(prefix)
    read.set(prefix, { text, rows })
    while (chars > READ_CHARS_MAX && read.size > 1) {
      const [oldest, gone] = read.entries().next().value as [string, { text: string }]
      read.delete(oldest)
      chars -= gone.text.length
    }
    return rows
  }

  function turnRows(item: Extract<DisplayItem, { kind: 'turn' }>, live: LiveBlocks, how: HowShown): Row[] {
    const turn = item.live
    const running = turn !== null && turn.phase !== 'ended'
    const out: Row[] = []
    let level = 1
    let loose = item.asks
    if (turn?.gap) out.push({ kind: 'gap', ...named(item.key, 'gap', 30) })
    for (const group of groupBlocks(item.blocks)) {
      const prefix = `${item.key}.${group.at}`
      if (group.kind === 'tools') {
        const asks: AskView[] = item.asks.length === 0 ? [] : item.asks.filter((ask) => group.tools.some((tool) => isAskOf(tool, ask)))
        if (asks.length > 0) loose = loose.filter((ask) => !asks.includes(ask))
        out.push({ kind: 'tools', tools: turn === null ? group.tools.map(how.seenTool) : group.tools, asks, ended: !running, ...named(item.key, prefix, 12 + group.tools.length * 37 + asks.length * 26) })
      } else if (group.block.kind === 'thinking') {
        const isLast = group.at === item.blocks.length - 1
        if (how.showThinking) out.push({ kind: 'thinking', text: group.block.text, open: running && isLast, durationS: how.thoughtS(prefix), ...named(item.key, prefix, 34) })
      } else if (group.block.kind === 'subagent') out.push({ kind: 'subagent', block: group.block, ...named(item.key, prefix, 30) })
      else {
        const isLast = running && group.at === item.blocks.length - 1
        const rows = turn === null ? textRows(prefix, item.key, group.block.text, level, live) : live.rows(prefix, item.key, group.block.text, isLast, level)
        for (const row of rows) if (row.kind === 'block' && row.token.type === 'heading') level = row.level
        out.push(...rows)
      }
    }
    if (loose.length > 0) out.push({ kind: 'asks', asks: loose, ...named(item.key, `${item.key}.asks`, loose.length * 26) })
    if (running && turn) out.push({ kind: 'lane', turn, ...named(item.key, `${item.key}.lane`, 30) })
    else if (item.blocks.some((block) => block.kind === 'text')) out.push({ kind: 'foot', atMs: item.atMs, text: () => answerText(item.blocks), ...named(item.key, `${item.key}.foot`, 34) })
    if (turn?.outcome && needsWords(turn)) out.push({ kind: 'end', outcome: turn.outcome, turnId: turn.turnId === how.retryTurnId ? turn.turnId : null, ...named(item.key, `${item.key}.end`, 56) })
    return withVoice(out, 'agent')
  }

  return {
    rows(items: readonly DisplayItem[], live: LiveBlocks, how: HowShown): Row[] {
      const out: Row[] = []
      for (const item of items) {
        switch (item.kind) {
          case 'stamp': out.push({ kind: 'stamp', atMs: item.atMs, ...named(item.key, item.key, 26) }); break
          case 'notice': out.push({ kind: 'notice', text: item.text, ...named(item.key, item.key, 32) }); break
          case 'user': out.push({ kind: 'user', message: item, ...named(item.key, item.key, userPx(item.text)), who: 'you' }); break
          case 'outcome': out.push({ kind: 'end', outcome: item.outcome.outcome, turnId: item.outcome.turnId === how.retryTurnId ? how.retryTurnId : null, ...named(item.key, item.key, 56) }); break
          case 'turn': out.push(...turnRows(item, live, how))
        }
      }
      return out
    },
  }
}

/** Rows of blocks; headings never skip a level, however the answer skips them. */
export function blockRows(prefix: string, item: string, tokens: readonly BlockToken[], levelBefore: number, live: boolean, from = 0): Row[] {
  let before = levelBefore
  return tokens.map((token, index) => {
    if (token.type === 'heading') before = Math.min(6, before + 1, (token as { depth?: number }).depth === undefined ? 2 : ((token as { depth: number }).depth + 1))
    return { kind: 'block', token, level: Math.max(2, before), live, ...named(item, `${prefix}.${from + index}`, blockPx(token)) }
  })
}

const named = (item: string, key: string, estimatePx: number): { key: string; item: string; estimatePx: number; who: null } => ({ key, item, estimatePx, who: null })
/** The first row of a turn says who speaks: screen readers move by it. */
const withVoice = (rows: Row[], who: 'agent'): Row[] => { const first = rows[0]; return first ? [first.who === who ? first : { ...first, who }, ...rows.slice(1)] : rows }
const needsWords = (turn: Turn): boolean => turn.outcome !== null && (turn.outcome.status !== 'complete' || turn.outcome.error !== null || turn.outcome.warning !== null)

type Group = { kind: 'tools'; at: number; tools: ToolBlock[] } | { kind: 'one'; at: number; block: Exclude<Block, ToolBlock> }
/** Neighbouring tools are one strip. */
function groupBlocks(blocks: readonly Block[]): Group[] {
  const groups: Group[] = []
  for (const [at, block] of blocks.entries()) {
    const last = groups.at(-1)
    if (block.kind !== 'tool') groups.push({ kind: 'one', at, block })
    else if (last?.kind === 'tools') last.tools.push(block)
    else groups.push({ kind: 'tools', at, tools: [block] })
  }
  return groups
}
