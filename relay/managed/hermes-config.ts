/** The first configuration of the managed Hermes. From then on it belongs to Hermes and the person: it is never written again. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makePrivateFolder } from '#relay/store/private-files.ts'

/** In which variable the process of Hermes gets the key; the file only names it. */
export const KEY_VARIABLE = 'HERMES_PROVIDER_KEY'
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
    custom_providers: [{ name: 'relay', base_url: baseUrl, ...(hasKey ? { key_env: KEY_VARIABLE } : { api_key: 'none' }), model, discover_models: true }],
    approvals: { mode: 'manual' },
  }
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 })
  return true
}
