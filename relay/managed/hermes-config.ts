/** The first configuration of the managed Hermes. From then on it belongs to Hermes and the person; only a model is added to one that names none. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '#relay/store/private-files.ts'

/** In which variable the process of Hermes gets the key; the file only names it. One for each server: a key never meets another's address. */
export const keyVariable = (baseUrl: string): string => `HERMES_PROVIDER_KEY_${createHash('sha256').update(new URL(baseUrl).origin).digest('hex').slice(0, 8).toUpperCase()}`
/** `isNamed`: a person named it; else it was only found on the host, which is no reason to touch a file that is there. */
export type FirstModel = { baseUrl: string; model: string; hasKey: boolean; isNamed: boolean }

export const hermesHome = (folder: string): string => join(folder, 'home')

/** Whether Hermes has a configuration afterwards. JSON is YAML. */
export function writeFirstConfig(home: string, first: FirstModel | null): boolean {
  makePrivateFolder(home)
  const path = join(home, 'config.yaml')
  const before = existsSync(path) ? readFileSync(path, 'utf8') : null
  if (!first) return before !== null
  const after = before === null ? `${JSON.stringify({ ...sectionsOf(first), approvals: { mode: 'manual' } }, null, 2)}\n` : first.isNamed ? withModel(before, first) : null
  if (after === null) return true
  writeFileSync(`${path}.new`, after, { mode: 0o600 })
  renameSync(`${path}.new`, path)
  return true
}

const sectionsOf = ({ baseUrl, model, hasKey }: FirstModel) => ({
  model: { provider: 'custom:relay', base_url: baseUrl, default: model },
  custom_providers: [{ name: 'relay', base_url: baseUrl, ...(hasKey ? { key_env: keyVariable(baseUrl) } : { api_key: 'none' }), model, discover_models: true }],
})

const SECTION = /^([A-Za-z_][\w-]*):(?:\s|$)/
const EMPTY_MODEL = /^model:\s*(?:''|""|~|null)?\s*$/
const isBelow = (line: string): boolean => /^(?:\s|- |-$)/.test(line)

/**
 * Every setting that Hermes is told makes it a file, with a model or without. One without gets the model at its end; nothing else changes.
 * @returns null for a file with a model or providers of its own, and for one that is not plainly sections under each other
 */
export function withModel(text: string, first: FirstModel): string | null {
  const lines = text.split(/\r?\n/).filter((line, at, all) => !(EMPTY_MODEL.test(line) && !isBelow(all.slice(at + 1).find(isMeant) ?? '')))
  const sections = lines.filter((line) => isMeant(line) && !isBelow(line)).map((line) => SECTION.exec(line)?.[1])
  if (sections.some((name) => name === undefined || name === 'model' || name === 'custom_providers')) return null
  const added = Object.entries(sectionsOf(first)).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`).join('')
  return `${lines.join('\n').trimEnd()}\n${added}`.trimStart()
}

const isMeant = (line: string): boolean => line.trim() !== '' && !line.trimStart().startsWith('#')
