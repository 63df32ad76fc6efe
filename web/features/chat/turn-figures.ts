/** What a turn cost in time, as this page saw it: seconds until the first word, words a second, and how long each thought took. */
import { createEffect, createSignal, on } from 'solid-js'
import type { ToolBlock, Turn } from '#protocol/turn/turn-fold.ts'
import { withSeen } from '#web/core/transcript/transcript.ts'

export type TurnFigures = { firstWordS: number | null; tokensPerS: number | null }
/** Thoughts whose length is remembered. */
const THOUGHTS_MAX = 200
/** Steps whose duration and changes are remembered for as long as the page lives. */
const TOOLS_MAX = 500

/** `nowMs` from the page's clock; a turn that was already running when it was first seen has no honest figures. */
export function createTurnFigures(turn: () => Turn | null, nowMs: () => number) {
  const [figures, setFigures] = createSignal<TurnFigures>({ firstWordS: null, tokensPerS: null })
  const thoughts = new Map<string, { fromMs: number; toMs: number | null }>()
  const tools = new Map<string, ToolBlock>()
  let seen: { turnId: string; fromMs: number | null; firstMs: number | null } = { turnId: '', fromMs: null, firstMs: null }
  createEffect(on(turn, (now) => {
    if (!now) return
    if (now.turnId !== seen.turnId) {
      seen = { turnId: now.turnId, fromMs: now.blocks.length === 0 ? nowMs() : null, firstMs: null }
      setFigures({ firstWordS: null, tokensPerS: null })
    }
    for (const [at, block] of now.blocks.entries()) {
      if (block.kind === 'tool' && block.identified && (block.durationS !== null || block.diff !== null || block.todos !== null)) tools.set(block.toolId, block)
      if (block.kind !== 'thinking') continue
      const key = `turn-${now.turnId}.${at}`
      const known = thoughts.get(key)
      if (!known && seen.fromMs !== null && at === now.blocks.length - 1) thoughts.set(key, { fromMs: nowMs(), toMs: null })
      else if (known?.toMs === null && (at < now.blocks.length - 1 || now.phase === 'ended')) known.toMs = nowMs()
    }
    while (tools.size > TOOLS_MAX) tools.delete(tools.keys().next().value ?? '')
    while (thoughts.size > THOUGHTS_MAX) thoughts.delete(thoughts.keys().next().value ?? '')
    if (seen.fromMs === null) return
    if (seen.firstMs === null && now.blocks.some((block) => block.kind === 'text')) {
      seen.firstMs = nowMs()
      setFigures({ firstWordS: (seen.firstMs - seen.fromMs) / 1_000, tokensPerS: null })
    }
    const output = now.usage?.output ?? 0
    if (now.phase === 'ended' && seen.firstMs !== null && output > 0 && figures().tokensPerS === null) {
      const tookS = (nowMs() - seen.firstMs) / 1_000
      if (tookS > 0.2) setFigures({ firstWordS: figures().firstWordS, tokensPerS: output / tookS })
    }
  }))
  return {
    figures,
    /** A step from the history with what only the live one knew. */
    seenTool(tool: ToolBlock): ToolBlock { const known = tools.get(tool.toolId); return known ? withSeen(tool, known) : tool },
    /** Seconds of the thought in this row; `null` when it was not seen from its beginning. */
    thoughtS(key: string): number | null { const known = thoughts.get(key); return known && known.toMs !== null ? (known.toMs - known.fromMs) / 1_000 : null },
  }
}
