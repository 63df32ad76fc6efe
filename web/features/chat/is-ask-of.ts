/** Which step a question belongs to. Pure. */
import type { AskView } from '#protocol/turn/ask.ts'
import type { ToolBlock } from '#protocol/turn/turn-fold.ts'
import { toolSummary } from './tool-summary.ts'

/** Was it this tool that asked? */
export const isAskOf = (tool: ToolBlock, ask: AskView): boolean => toolSummary(tool) === (ask.command ?? ask.title).replace(/\s+/g, ' ').trim()
