/** Work to start a chat with, for the agent that answers: the demo plays its script, the others look at the machine they run on. Pure. */
import type { HermesFacts } from '#protocol/system/system-frame.ts'
import type { IconName } from '#web/ui/icon-paths.ts'

/** `text` is what is sent; `label` says it in the words of a person where the demo knows a word of its own for it. */
export type Suggestion = { icon: IconName; text: string; label?: string }

const DEMO: readonly Suggestion[] = [
  { icon: 'hard-drive', text: 'Show what fills the disk of this machine' },
  { icon: 'shield-alert', text: 'danger', label: 'See a command that waits for your approval' },
  { icon: 'circle-help', text: 'help', label: 'What can the demo show?' },
]
/** Each needs a shell or the files in one folder and nothing else: the small agent has no more, Hermes has both. */
const REAL: readonly Suggestion[] = [
  { icon: 'hard-drive', text: 'Look at what fills the disk of this machine and explain it' },
  { icon: 'folder', text: 'Read the files in your working folder and explain what they are' },
  { icon: 'list-checks', text: 'Plan something with me: ask what it is, then write the steps' },
  { icon: 'circle-help', text: 'What can you do on this machine?' },
]

/** `null`: it was never heard what answers. */
export const suggestionsFor = (hermes: HermesFacts | null): readonly Suggestion[] => (hermes?.demo ? DEMO : REAL)
