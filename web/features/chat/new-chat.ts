/** What a new conversation will run with: visible before the first word is sent. */
import { createResource, createSignal } from 'solid-js'
import type { NewChatOptions } from '#protocol/live/live-frame.ts'
import type { Services } from '#web/state/services.ts'

export type NewChat = ReturnType<typeof createNewChat>
export type ApprovalMode = 'manual' | 'smart' | 'off'
export const APPROVAL_WORDS: Readonly<Record<ApprovalMode, string>> = { manual: 'Asks before commands', smart: 'Asks when unsure', off: 'Never asks' }
const isMode = (text: string | null | undefined): text is ApprovalMode => text === 'manual' || text === 'smart' || text === 'off'

/** `isNew`: only then is asked what a new conversation would run with. */
export function createNewChat({ dashboard, link }: Services, isNew: () => boolean) {
  const ask = (): boolean => link.link().kind === 'open' && isNew()
  const [now] = createResource(ask, () => dashboard.modelNow())
  const [approvals] = createResource(ask, () => dashboard.approvals())
  const [wanted, setWanted] = createSignal(false)
  const [choices] = createResource(() => wanted() || null, () => dashboard.modelChoices())
  const [model, setModel] = createSignal<{ provider: string; model: string } | null>(null)
  const [cwd, setCwd] = createSignal('')
  const [mode, setMode] = createSignal<ApprovalMode | null>(null)
  const currentMode = (): ApprovalMode | null => { const known = approvals()?.mode; return mode() ?? (isMode(known) ? known : null) }
  return {
    now, choices, model, setModel, cwd, setCwd, mode: currentMode, setMode,
    /** Choices are read when a person looks for them. */
    wantChoices: () => setWanted(true),
    /** A mode that lets commands run unseen says so. */
    warning: (): string | null => {
      if (currentMode() === 'off') return 'The agent will run every command on that machine without asking you.'
      return currentMode() === 'smart' ? 'Commands that a model finds harmless run without asking you.' : null
    },
    options: (): NewChatOptions | null => {
      const chosen = model()
      const chosenMode = mode()
      const options: NewChatOptions = { ...(chosen ? { model: chosen.model, provider: chosen.provider } : {}), ...(cwd().trim() ? { cwd: cwd().trim() } : {}), ...(chosenMode ? { approval_mode: chosenMode } : {}) }
      return Object.keys(options).length > 0 ? options : null
    },
  }
}
