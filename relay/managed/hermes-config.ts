/** The first configuration of the managed Hermes. From then on it belongs to Hermes and the person: it is never written again. */
import { createHash } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '#relay/store/private-files.ts'

/** In which variable the process of Hermes gets the key; the file only names it. One for each server: a key never meets another's address. */
export const keyVariable = (baseUrl: string): string => `HERMES_PROVIDER_KEY_${createHash('sha256').update(new URL(baseUrl).origin).digest('hex').slice(0, 8).toUpperCase()}`
export type FirstModel = { baseUrl: string; model: string; hasKey: boolean }

export const hermesHome = (folder: string): string => join(folder, 'home')

/** Whether Hermes has a configuration afterwards. JSON is YAML. */
export function writeFirstConfig(home: string, first: FirstModel | null): boolean {
  makePrivateFolder(home)
  const path = join(home, 'config.yaml')
  if (existsSync(path)) return true
  if (!first) return false
  const { baseUrl, model, hasKey } = first
  const config = {
    model: { provider: 'custom:relay', base_url: baseUrl, default: model },
    custom_providers: [{ name: 'relay', base_url: baseUrl, ...(hasKey ? { key_env: keyVariable(baseUrl) } : { api_key: 'none' }), model, discover_models: true }],
    approvals: { mode: 'manual' },
  }
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  return true
}
