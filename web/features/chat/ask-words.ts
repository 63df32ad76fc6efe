/** What the words and kinds of questions look like. Pure. */

const CHOICE_WORDS: Readonly<Record<string, string>> = { once: 'Allow once', approve: 'Allow', session: 'For this chat', always: 'Always', deny: 'Deny' }
/** `isSmallAgent`: it remembers exactly this command; Hermes remembers the kind of command. */
export const choiceWords = (choice: string, isSmallAgent: boolean): string => (choice === 'session' && isSmallAgent ? 'Allow this command in this chat' : CHOICE_WORDS[choice] ?? choice)
export const ASK_ICONS = { approval: 'shield-alert', clarify: 'circle-help', sudo: 'key-round', secret: 'key-round' } as const
