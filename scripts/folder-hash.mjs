/** One hash over files and folders, so that work is done again only when something changed. Tests and notes change nothing that runs. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const IGNORED = /\.(?:test|suite|fake)\.tsx?$|\.md$|^\.|\.db$/

export function folderHash(root, paths) {
  const hash = createHash('sha256')
  for (const path of paths) addPath(hash, root, path)
  return hash.digest('hex')
}

function addPath(hash, root, path) {
  const full = join(root, path)
  if (!existsSync(full)) return
  if (!statSync(full).isDirectory()) {
    hash.update(`${path}\0`).update(readFileSync(full)).update('\0')
    return
  }
  for (const name of readdirSync(full).sort()) if (!IGNORED.test(name)) addPath(hash, root, `${path}/${name}`)
}
