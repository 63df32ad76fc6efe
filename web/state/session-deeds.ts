/** What a person does to a stored conversation, the same from the list and from its chat. The pins hear of it too: they stand above rows that no list has read. */
import type { Session } from '#protocol/dashboard/session-row.ts'
import type { Services } from './services.ts'

/** Longest name of a conversation, in UTF-16 units. */
export const TITLE_CHARS_MAX = 200

export type SessionDeeds = ReturnType<typeof sessionDeeds>

export function sessionDeeds({ sessions, pins }: { sessions: Pick<Services['sessions'], 'mark' | 'rename' | 'archive' | 'remove'>; pins: Pick<Services['pins'], 'note'> }) {
  return {
    async rename(session: Session, words: string): Promise<void> {
      const title = words.trim()
      if (title !== '' && title !== session.title && (await sessions.rename(session, title))) pins.note({ ...session, title })
    },
    async archive(session: Session, isArchived: boolean): Promise<void> { if ((await sessions.archive(session, isArchived)) && isArchived) pins.note({ ...session, archived: true }) },
    /** For ten seconds it can be taken back. */
    remove: (session: Session): Promise<void> => sessions.remove(session),
    /** At work, or asking, or with messages that wait: a person is asked before it is deleted. */
    isBusy: (session: Session): boolean => sessions.mark(session.sessionId) !== null,
  }
}
