/** Fake and real keep the same promises. */
import { DatabaseSync } from '@photostructure/sqlite'
import { migrate } from './migrate.ts'
import { createFakeSettingRepo } from './setting-repo.fake.ts'
import { createSettingRepo } from './setting-repo.ts'
import { settingRepoSuite } from './setting-repo.suite.ts'

settingRepoSuite('fake', createFakeSettingRepo)
settingRepoSuite('sqlite', () => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  return createSettingRepo(db)
})
