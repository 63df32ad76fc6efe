import { DatabaseSync } from '@photostructure/sqlite'
import { createFakeJournal } from './journal.fake.ts'
import { createJournalRepo } from './journal-repo.ts'
import { journalSuite } from './journal.suite.ts'
import { LEASE_SCHEMA } from './lease-schema.ts'

journalSuite('in memory', createFakeJournal)
journalSuite('SQLite', () => {
  const db = new DatabaseSync(':memory:')
  db.exec(LEASE_SCHEMA)
  return createJournalRepo(db)
})
