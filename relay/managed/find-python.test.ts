/** What is said about the Python of a host, with fake programs on a PATH of their own. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findPython, judgePythons, type PYTHON_CANDIDATES } from './find-python.ts'

const root = mkdtempSync(join(tmpdir(), 'relay-python-'))
afterAll(() => rmSync(root, { recursive: true }))

/** A folder with these programs; each answers like a Python of that version, or like a shim without one. */
function path(programs: Partial<Record<(typeof PYTHON_CANDIDATES)[number], { version: string; missing?: string } | 'shim'>>): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(root, 'bin-'))
  for (const [name, kind] of Object.entries(programs)) {
    const body = kind === 'shim' ? 'echo "not chosen" >&2; exit 127' : `printf '%s\\n%s\\n%s\\n' '${kind.version}' '${kind.missing ?? ''}' '${folder}/${name}'`
    writeFileSync(join(folder, name), `#!/bin/sh\n${body}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  return { PATH: folder }
}

test('the newest that fits, even when newer names are shims of nothing', async () => {
  expect(await findPython(path({ 'python3.13': 'shim', 'python3.12': { version: '3.12' }, 'python3.11': { version: '3.11' }, python3: { version: '3.9' } }))).toMatchObject({ ok: true, version: '3.12', path: expect.stringMatching(/python3\.12$/) })
  expect(await findPython(path({ python3: { version: '3.13' } }))).toMatchObject({ ok: true, version: '3.13' })
})
test('none, only others, or one without what a virtual environment needs: in exact words', async () => {
  expect(await findPython({ PATH: join(root, 'nothing') })).toMatchObject({ ok: false, say: expect.stringMatching(/^No Python was found, 3\.11 to 3\.13 is needed\./) })
  expect(await findPython(path({ python3: { version: '3.9' } }))).toMatchObject({ ok: false, say: expect.stringMatching(/^Python 3\.9 was found, 3\.11 to 3\.13 is needed\./) })
  expect(await findPython(path({ python3: { version: '3.14' } }))).toMatchObject({ ok: false })
  expect(judgePythons([{ version: '3.11', missing: ['ensurepip'], path: '/x' }], 'linux')).toEqual({ ok: false, say: 'Python 3.11 was found, but the module ensurepip is missing: on Debian and Ubuntu, run "apt install python3.11-venv".' })
  expect(judgePythons([{ version: '3.12', missing: ['venv', 'ensurepip'], path: '/x' }], 'darwin').say).toContain('the modules venv and ensurepip are missing')
})
test('one that is whole is taken before one that is not', () => {
  expect(judgePythons([{ version: '3.13', missing: ['venv'], path: '/a' }, { version: '3.11', missing: [], path: '/b' }], 'linux')).toMatchObject({ ok: true, path: '/b' })
})
