/** A question that is over: who answered what, in one quiet line of its turn. */
import './asks.css'
import type { AskView } from '#protocol/turn/ask.ts'
import type { ToolBlock } from '#protocol/turn/turn-fold.ts'
import { Icon } from '#web/ui/icon.tsx'
import { toolSummary } from './tool-summary.ts'

const CHOICE_WORDS: Readonly<Record<string, string>> = { once: 'Allow once', approve: 'Allow', session: 'For this chat', always: 'Always', deny: 'Deny' }
export const choiceWords = (choice: string): string => CHOICE_WORDS[choice] ?? choice
export const ASK_ICONS = { approval: 'shield-alert', clarify: 'circle-help', sudo: 'key-round', secret: 'key-round' } as const

/** Was it this tool that asked? */
export const isAskOf = (tool: ToolBlock, ask: AskView): boolean => toolSummary(tool) === (ask.command ?? ask.title).replace(/\s+/g, ' ').trim()

export function ClosedAsk(props: { ask: AskView; isTold: boolean }) {
  const said = (): string => {
    if (props.ask.state === 'expired') return 'The agent stopped waiting for this answer.'
    const what = props.ask.kind === 'approval' && props.ask.answer ? choiceWords(props.ask.answer) : props.ask.answer
    return `Answered on ${props.ask.answeredBy ?? 'another device'}${what ? `: ${what}` : ''}`
  }
  return <div class="done-line"><Icon name={ASK_ICONS[props.ask.kind]} /><span>{props.isTold ? '' : `${props.ask.command ?? props.ask.title} · `}{said()}</span></div>
}
