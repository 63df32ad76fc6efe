/** Fake and real keep the same promises. */
import { DatabaseSync } from '@photostructure/sqlite'
import { migrate } from '#relay/store/migrate.ts'
import { createFakeDoorRepo } from './door-repo.fake.ts'
import { createDoorRepo } from './door-repo.ts'
import { doorRepoSuite } from './door-repo.suite.ts'

doorRepoSuite('fake', createFakeDoorRepo)
doorRepoSuite('sqlite', () => {
  const db = new DatabaseSync(':memory:')
  db.exec('PRAGMA foreign_keys = ON')
  migrate(db)
  return createDoorRepo(db)
})
