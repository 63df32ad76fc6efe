/** The written scenarios S1-S15 (contract gateway.md 16.2). */
import { readdirSync, readFileSync } from 'node:fs'
import { parseScenario, type Scenario } from './scenario.ts'

const DIR = new URL('./scenarios/', import.meta.url)

/** By short name: `s1` to `s15`. */
export const readScenarios = (): ReadonlyMap<string, Scenario> =>
  new Map(readdirSync(DIR).filter((name) => name.endsWith('.json')).map((name) => [name.replace('.json', ''), parseScenario(JSON.parse(readFileSync(new URL(name, DIR), 'utf8')))]))
