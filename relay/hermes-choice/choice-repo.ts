/** What a person chose in the app, over restarts. One value, so that address and key never come apart; the key in it is sealed. */
import * as z from 'zod/mini'
import type { SecretBox } from '#relay/store/secret-box.ts'
import type { SettingRepo } from '#relay/store/setting-repo.ts'
import type { Choice } from './choice.ts'

const SETTING = 'agent_choice'
const Kept = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demo') }), z.object({ kind: z.literal('managed'), first: z.optional(z.object({ baseUrl: z.string(), model: z.string() })), sealedKey: z.prefault(z.nullable(z.string()), null) }), z.object({ kind: z.literal('dashboard'), url: z.string() }),
  z.object({ kind: z.literal('provider'), baseUrl: z.string(), model: z.string(), sealedKey: z.nullable(z.string()) }),
])

export type KeptChoice = { choice: Choice; key: string | null }
export interface ChoiceRepo {
  read(): Promise<KeptChoice | null>
  write(kept: KeptChoice): Promise<void>
  forget(): Promise<void>
}

export function createChoiceRepo(settings: SettingRepo, box: SecretBox): ChoiceRepo {
  return {
    async read() {
      const kept = parse(await settings.read(SETTING))
      if (!kept) return null
      if (kept.kind === 'demo' || kept.kind === 'dashboard') return { choice: kept, key: null }
      const { sealedKey, ...rest } = kept
      const choice: Choice = rest.kind === 'managed' ? { kind: 'managed', ...(rest.first && { first: rest.first }) } : rest
      return { choice, key: sealedKey === null ? null : box.open(SETTING, sealedKey) }
    },
    write: ({ choice, key }) => settings.write(SETTING, JSON.stringify(choice.kind === 'provider' || choice.kind === 'managed' ? { ...choice, sealedKey: key === null ? null : box.seal(SETTING, key) } : choice)),
    forget: () => settings.forget(SETTING),
  }
}

function parse(text: string | null): z.infer<typeof Kept> | null {
  if (text === null) return null
  try {
    return Kept.safeParse(JSON.parse(text)).data ?? null
  } catch {
    return null
  }
}
