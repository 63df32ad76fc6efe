/** How a step ended, as its mark says it. A question that nobody answered is not done, whatever its tool said to the agent. Pure. */
import type { AskView } from '#protocol/turn/ask.ts'
import type { ToolBlock } from '#protocol/turn/turn-fold.ts'
import { isAskOf } from './is-ask-of.ts'

export type StepMark = 'preparing' | 'running' | 'done' | 'failed' | 'unanswered' | 'unfinished'

/** `ended`: its turn is over. `asks`: the closed questions of its strip, as long as the relay remembers them. */
export function stepMark(tool: ToolBlock, asks: readonly AskView[], ended: boolean): StepMark {
  const mine = asks.filter((ask) => isAskOf(tool, ask))
  if (mine.some((ask) => ask.state === 'expired') && !mine.some((ask) => ask.state === 'answered')) return 'unanswered'
  if (mine.length === 0 && saysUnanswered(tool)) return 'unanswered'
  return ended && (tool.state === 'preparing' || tool.state === 'running') ? 'unfinished' : tool.state
}

/** From the history: what the agent was told when no answer came. */
function saysUnanswered(tool: ToolBlock): boolean {
  if (tool.blocked) return tool.name === 'clarify' || /without user response/i.test(tool.error ?? '')
  if (tool.name !== 'clarify' || tool.state !== 'done' || tool.result === null) return false
  if (tool.result === '') return true
  try {
    const record = JSON.parse(tool.result) as { user_response?: unknown; output?: unknown } | null
    return record?.user_response === '' || record?.output === ''
  } catch {
    return false
  }
}
