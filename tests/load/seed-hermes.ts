/** Long conversations in the database of a real Hermes: written straight into its tables, as 0.19.0 lays them out, because 15,000 turns would take hours. */
import { DatabaseSync } from '@photostructure/sqlite'
import { join } from 'node:path'

const WORDS = 'the disk pool grew while a nightly backup copied every photo twice and nobody looked at what the samba share kept in its bin until one morning the alarm said that only four percent were left'.split(' ')
/** Always the same text for the same row. */
function prose(row: number, words: number): string {
  let seed = (row * 2_654_435_761) >>> 0
  const out: string[] = []
  for (let n = 0; n < words; n += 1) { seed = (seed * 1_664_525 + 1_013_904_223) >>> 0; out.push(WORDS[seed % WORDS.length] as string) }
  return out.join(' ')
}
const table = (row: number): string => `| share | size | grew |\n|---|---:|---:|\n${Array.from({ length: 8 }, (_, n) => `| ${prose(row + n, 1)}-${n} | ${(row * 7 + n) % 900} GB | ${n} % |`).join('\n')}`
const code = (row: number): string => `\`\`\`ts\n${Array.from({ length: 12 }, (_, n) => `const value${n} = read('${prose(row + n, 2)}', ${row + n}) // ${prose(n, 4)}`).join('\n')}\n\`\`\``

function contentOf(row: number): string {
  if (row % 2 === 0) return `Question ${row / 2}: ${prose(row, 12)}?`
  const parts = [prose(row, 70)]
  if (row % 7 === 1) parts.push(table(row))
  if (row % 5 === 1) parts.push(code(row))
  if (row % 3 === 1) parts.push(`- ${prose(row, 9)}\n- ${prose(row + 1, 9)}\n  - ${prose(row + 2, 5)}\n- **${prose(row + 3, 4)}**`)
  parts.push(`Answer ${(row - 1) / 2}. ${prose(row + 5, 60)}`)
  return parts.join('\n\n')
}

/** `home`: of the Hermes that runs; it must have answered once, so that the tables exist. Returns the bytes of text. */
export function seedConversation(home: string, sessionId: string, rows: number, title: string): number {
  const db = new DatabaseSync(join(home, 'state.db'))
  db.exec('PRAGMA busy_timeout = 20000')
  const startS = Date.now() / 1_000 - rows * 40
  db.exec('BEGIN IMMEDIATE')
  db.prepare('INSERT INTO sessions (id, source, model, started_at, message_count, title) VALUES (?, ?, ?, ?, ?, ?)').run(sessionId, 'tui', 'stub-echo', startS, rows, title)
  const insert = db.prepare('INSERT INTO messages (session_id, role, content, timestamp, finish_reason) VALUES (?, ?, ?, ?, ?)')
  let bytes = 0
  for (let row = 0; row < rows; row += 1) {
    const content = contentOf(row)
    bytes += content.length
    insert.run(sessionId, row % 2 === 0 ? 'user' : 'assistant', content, startS + row * 40, row % 2 === 0 ? null : 'stop')
  }
  db.exec('COMMIT')
  db.close()
  return bytes
}

/** Many short conversations for the list. */
export function seedList(home: string, count: number): void {
  const db = new DatabaseSync(join(home, 'state.db'))
  db.exec('PRAGMA busy_timeout = 20000')
  db.exec('BEGIN IMMEDIATE')
  const session = db.prepare('INSERT INTO sessions (id, source, model, started_at, message_count, title) VALUES (?, ?, ?, ?, ?, ?)')
  const message = db.prepare('INSERT INTO messages (session_id, role, content, timestamp) VALUES (?, ?, ?, ?)')
  for (let n = 0; n < count; n += 1) {
    const startS = Date.now() / 1_000 - 86_400 - n * 600
    session.run(`bench-list-${n}`, 'tui', 'stub-echo', startS, 1, `Conversation ${n}: ${prose(n, 5)}`)
    message.run(`bench-list-${n}`, 'user', prose(n, 10), startS)
  }
  db.exec('COMMIT')
  db.close()
}
