/** A copy of what was built, for tests of an update: the relay of the copy serves its page, and the test changes that page as a new build would. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { buildWorker } from '../../scripts/build-worker.mjs'

export type BuiltCopy = {
  root: string
  /** Another version of the page: every script has another name, the page says `mark`. */
  rebuild(mark: string): Promise<void>
  /** Files of `assets` that the relay does not have any more when it is started again. */
  lose(name: RegExp): void
  remove(): void
}

export function copyBuild(): BuiltCopy {
  const root = mkdtempSync(join(tmpdir(), 'hermes-relay-built-'))
  const web = join(root, 'dist', 'web')
  cpSync('dist', join(root, 'dist'), { recursive: true })
  cpSync('package.json', join(root, 'package.json'))
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  return {
    root,
    async rebuild(mark) {
      for (const name of readdirSync(web, { recursive: true, encoding: 'utf8' })) if (/\.(?:br|gz)$|^sw\.js$/.test(name)) rmSync(join(web, name))
      const scripts = readdirSync(join(web, 'assets')).filter((name) => name.endsWith('.js'))
      const renamed = scripts.map((old) => [old, old.replace(/[\w-]{4}\.js$/, `${mark.slice(0, 4)}.js`)] as const)
      const rename = (text: string): string => renamed.reduce((all, [old, next]) => all.replaceAll(old, next), text)
      for (const [old, next] of renamed) {
        renameSync(join(web, 'assets', old), join(web, 'assets', next))
        writeFileSync(join(web, 'assets', next), rename(readFileSync(join(web, 'assets', next), 'utf8')))
      }
      const page = join(web, 'index.html')
      writeFileSync(page, rename(readFileSync(page, 'utf8')).replace(/<html lang="en"(?: data-build="\w+")?/, `<html lang="en" data-build="${mark}"`))
      await buildWorker(web)
    },
    lose(lost) { for (const name of readdirSync(join(web, 'assets'))) if (lost.test(name)) rmSync(join(web, 'assets', name)) },
    remove: () => rmSync(root, { recursive: true, force: true }),
  }
}
