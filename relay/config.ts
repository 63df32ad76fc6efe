/**
 * The relay's configuration: one schema; a flag beats the environment, the environment the file, the file the default. A wrong value is
 * named by key, source and what is allowed, never by itself: it may be a secret.
 */
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import * as z from 'zod'
import { Refused } from '#protocol/refusal/refusal.ts'

export const DEFAULT_PORT = 8_767
const HostName = z.string().regex(/^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i).transform((name) => name.toLowerCase())
const Origin = z.string().regex(/^https?:\/\/[^/?#@\s]+$/i).transform((origin) => new URL(origin).origin)
const Flag = z.union([z.boolean(), z.enum(['true', 'false', '1', '0', 'yes', 'no', 'on', 'off']).transform((word) => /^(?:true|1|yes|on)$/.test(word))])
const list = <Item extends z.ZodType>(item: Item) => z.preprocess((raw) => (typeof raw === 'string' ? raw.split(',').map((part) => part.trim()).filter(Boolean) : raw), z.array(item).max(64))
const HermesUrl = z.string().regex(/^https?:\/\/[^\s@?#]+$/i)

type Key = { allowed: string; isSecret?: boolean }
/** What a person may write for each key; shown in errors and `--help`. */
export const KEYS = {
  port: { allowed: 'a whole number from 0 to 65535' },
  host: { allowed: 'IP addresses, separated by commas' },
  lan: { allowed: 'true or false' },
  dataDir: { allowed: 'the path of a folder' },
  hermes: { allowed: 'auto, demo, managed, or the http(s) address of a dashboard without user, query or fragment' },
  provider: { allowed: 'the http(s) address of an OpenAI-compatible server without user, query or fragment' },
  model: { allowed: 'the name of a model, at most 256 characters' },
  providerKey: { allowed: 'printable characters without spaces, at most 1024', isSecret: true },
  workspace: { allowed: 'the path of a folder' },
  hostNames: { allowed: 'host names without scheme and port, separated by commas' },
  allowedOrigins: { allowed: 'origins such as https://app.example, separated by commas' },
  dashboardUser: { allowed: 'text', isSecret: true },
  dashboardPassword: { allowed: 'text', isSecret: true },
  dashboardToken: { allowed: 'at least 16 of A-Z a-z 0-9 _ -', isSecret: true },
  noQr: { allowed: 'true or false' },
  json: { allowed: 'true or false' },
  logLevel: { allowed: 'silent, error, warn, info or debug' },
} as const satisfies Record<string, Key>
export type ConfigKey = keyof typeof KEYS

const Config = z.object({
  port: z.coerce.number().int().min(0).max(65_535).nullable().default(null),
  host: list(z.union([z.ipv4(), z.ipv6()])).default(() => []),
  lan: Flag.default(false),
  dataDir: z.string().min(1),
  hermes: z.union([z.enum(['auto', 'demo', 'embedded', 'managed']), HermesUrl]).default('auto'),
  provider: HermesUrl.max(2_048).nullable().default(null),
  model: z.string().trim().min(1).max(256).nullable().default(null),
  providerKey: z.string().regex(/^[\x21-\x7e]{1,1024}$/).nullable().default(null),
  workspace: z.string().min(1).nullable().default(null),
  hostNames: list(HostName).default(() => []),
  allowedOrigins: list(Origin).default(() => []),
  dashboardUser: z.string().min(1).max(256).nullable().default(null),
  dashboardPassword: z.string().min(1).max(1_024).nullable().default(null),
  dashboardToken: z.string().regex(/^[A-Za-z0-9_-]{16,512}$/).nullable().default(null),
  noQr: Flag.default(false),
  json: Flag.default(false),
  logLevel: z.enum(['silent', 'error', 'warn', 'info', 'debug']).default('warn'),
})
export type Config = z.infer<typeof Config>
export type ConfigSource = 'flag' | 'environment' | 'file' | 'default'
export type LoadedConfig = { config: Config; sources: Readonly<Record<ConfigKey, ConfigSource>> }

export type ConfigInput = { flags: Readonly<Record<string, unknown>>; environment: Readonly<Record<string, string | undefined>>; platform: NodeJS.Platform; home?: string }

export function loadConfig({ flags, environment, platform, home = homedir() }: ConfigInput): LoadedConfig {
  const fromEnvironment = Object.fromEntries((Object.keys(KEYS) as ConfigKey[]).map((key) => [key, environment[environmentName(key)]]).filter(([, value]) => value !== undefined && value !== ''))
  const dataDir = resolve(String(flags.dataDir ?? fromEnvironment.dataDir ?? defaultDataDir(environment, platform, home)))
  const fromFile = readConfigFile(join(dataDir, 'config.json'))
  const values: Record<string, unknown> = {}
  const sources = {} as Record<ConfigKey, ConfigSource>
  for (const key of Object.keys(KEYS) as ConfigKey[]) {
    const found = ([['flag', flags], ['environment', fromEnvironment], ['file', fromFile]] as const).find(([, from]) => from[key] !== undefined)
    sources[key] = found?.[0] ?? 'default'
    if (found) values[key] = found[1][key]
  }
  const parsed = Config.safeParse({ ...values, dataDir })
  if (!parsed.success) throw invalid(parsed.error.issues[0]?.path[0] as ConfigKey, sources)
  return { config: parsed.data, sources }
}

/** `dataDir` to `HERMES_RELAY_DATA_DIR`. */
export const environmentName = (key: string): string => `HERMES_RELAY_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
/** `dataDir` to `--data-dir`; some keys have shorter or singular flags. */
export const flagName = (key: string): string => ({ hostNames: '--host-name' })[key] ?? `--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

function invalid(key: ConfigKey, sources: Readonly<Record<ConfigKey, ConfigSource>>): Refused {
  const source = { flag: `flag ${flagName(key)}`, environment: `environment variable ${environmentName(key)}`, file: 'file config.json', default: 'default' }[sources[key]]
  return new Refused('config_invalid', { key, source, allowed: KEYS[key].allowed })
}

function readConfigFile(path: string): Readonly<Record<string, unknown>> {
  if (!existsSync(path)) return {}
  let raw: unknown
  try {
    raw = JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new Refused('config_invalid', { key: 'config.json', source: 'file config.json', allowed: 'a JSON object that the relay can read' })
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new Refused('config_invalid', { key: 'config.json', source: 'file config.json', allowed: 'a JSON object' })
  const unknown = Object.keys(raw).find((key) => !Object.hasOwn(KEYS, key) || key === 'dataDir')
  if (unknown !== undefined) throw new Refused('config_invalid', { key: unknown.slice(0, 64), source: 'file config.json', allowed: `one of ${Object.keys(KEYS).filter((key) => key !== 'dataDir').join(', ')}` })
  return raw as Record<string, unknown>
}

/** Where a program of this platform keeps its data. */
export function defaultDataDir(environment: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform, home: string): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'hermes-relay')
  if (platform === 'win32') return join(environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'hermes-relay')
  const data = environment.XDG_DATA_HOME
  return join(data?.startsWith('/') ? data : join(home, '.local', 'share'), 'hermes-relay')
}
