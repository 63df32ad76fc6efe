import 'fake-indexeddb/auto'
import { describe } from 'vitest'
import { openPageDatabase } from './idb-keyed-store.ts'
import { createIdbTranscripts, createMemoryTranscripts } from './transcript-repo.ts'
import { transcriptRepoSuite } from './transcript-repo.suite.ts'

let databases = 0
describe('memory', () => transcriptRepoSuite(createMemoryTranscripts))
describe('IndexedDB', () => transcriptRepoSuite(() => {
  const db = openPageDatabase(`transcripts-${databases++}`)
  return createIdbTranscripts(() => db)
}))
