/** The fence of the house: what the compiler cannot check. Pure: files in, violations out (docs/architecture.md). */
import { posix } from 'node:path'

export type House = ReadonlyMap<string, string>
export type Violation = { rule: string; file: string; what: string }

/** Which rooms a room may import from; the first match from the top counts. */
const COLUMNS: readonly { room: RegExp; may: readonly RegExp[] }[] = [
  { room: /^protocol\//, may: [/^protocol\//] },
  { room: /^web\/core\//, may: [/^protocol\//, /^web\/core\//] },
  { room: /^web\/net\/upstream\//, may: [/^protocol\//, /^web\/(?:net\/upstream|platform|core)\//] },
  { room: /^web\/net\/relay\//, may: [/^protocol\//, /^web\/(?:net\/relay|platform|core|storage)\//] },
  { room: /^web\//, may: [/^protocol\//, /^web\//] },
  { room: /^sw\//, may: [/^protocol\//, /^sw\//, /^web\/storage\//] },
  { room: /^relay\//, may: [/^protocol\//, /^relay\//] },
  { room: /^(?:tests|scripts)\//, may: [/./] },
]

/** Packages that only some rooms may use. */
const PACKAGE_DOORS: readonly { name: RegExp; may: RegExp; why: string }[] = [
  { name: /^zod$/, may: /^relay\/config\.ts$/, why: 'classic zod lives in relay/config.ts only; elsewhere zod/mini' },
  { name: /^ws$/, may: /^(?:relay\/(?:hub|ingress)\/|tests\/)/, why: 'sockets are opened by hub and ingress only' },
  { name: /^hono|^@hono\//, may: /^relay\//, why: 'HTTP lives in the relay' },
  { name: /^solid-js|^@solidjs\//, may: /^web\/(?!core\/)/, why: 'Solid lives in the page, outside its cores' },
  { name: /^node:/, may: /^(?:relay|tests|scripts)\//, why: 'only the relay runs on Node' },
]

const CORES = /^(?:protocol\/|web\/core\/|relay\/lease\/lease-(?:core|draft|state|delivery|turn|asks|queue|recovery)\.ts$)/
const CLOCKS = /\b(?:Date\.now|Math\.random|performance\.now|setTimeout|setInterval|queueMicrotask|randomUUID|new Date\(\))\b/
const DRAWERS = /(?:^|\/)(?:utils?|helpers?|common|misc|manager|types)(?:\.tsx?$|\/)/
const KEBAB = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+)*$/
/** Sizes of style.md 3, in lines; generated files, vectors and recorded traffic are exempt. */
export const LINES_MAX = 300
export const TEST_LINES_MAX = 600
const EXEMPT = /^tests\/contract\/(?:upstream-hermes|fixtures)\/|\.vectors\.json$|^web\/ui\/icons?\//
const SOURCE = /\.(?:ts|tsx|mjs|css)$/
export const isTest = (file: string): boolean => /^tests\/|\.(?:test|suite|fake)\.tsx?$/.test(file)

type Import = { target: string; typeOnly: boolean }

/** Imports, exports from, and dynamic imports of one file. Comments are taken out first. */
export function importsOf(text: string): Import[] {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:'"`])\/\/[^\n]*/g, '$1')
  const found: Import[] = []
  for (const match of code.matchAll(/\b(?:import|export)\s+(type\s+)?(?:[\w*{}\s,$]+\s+from\s+)?['"]([^'"]+)['"]/g)) {
    const names = /\{([^}]*)\}/.exec(match[0])?.[1]?.split(',').map((name) => name.trim()).filter((name) => name !== '') ?? []
    const allTypes = names.length > 0 && names.every((name) => name.startsWith('type ')) && !/import\s+\w/.test(match[0])
    found.push({ target: match[2] as string, typeOnly: match[1] !== undefined || allTypes })
  }
  for (const match of code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)) found.push({ target: match[1] as string, typeOnly: false })
  return found
}

/** The file that an import of ours means, or null for a package. */
export function resolveImport(from: string, target: string): string | null {
  if (target.startsWith('#')) return target.slice(1).split('?')[0] ?? null
  if (target.startsWith('.')) return (posix.join(posix.dirname(from), target)).split('?')[0] ?? null
  return null
}

export function checkHouse(house: House): Violation[] {
  const code = [...house].filter(([file]) => /\.(?:ts|tsx)$/.test(file))
  return [
    ...code.flatMap(([file, text]) => checkImports(file, text)),
    ...code.flatMap(([file, text]) => checkClocks(file, text)),
    ...[...house].flatMap(([file, text]) => [...checkName(file), ...checkSize(file, text), ...checkMarkup(file, text)]),
    ...checkCycles(code),
    ...checkReadmes(house),
  ]
}

function checkImports(file: string, text: string): Violation[] {
  const column = COLUMNS.find(({ room }) => room.test(file))
  return importsOf(text).flatMap(({ target }): Violation[] => {
    const resolved = resolveImport(file, target)
    if (resolved === null) return checkPackage(file, target)
    const broken: Violation[] = []
    if (!isTest(file) && column && !column.may.some((room) => room.test(resolved))) broken.push({ rule: 'imports', file, what: `may not import ${resolved}` })
    if (!isTest(file) && isTest(resolved)) broken.push({ rule: 'imports', file, what: `imports ${resolved}, which is for tests` })
    const feature = /^web\/features\/([^/]+)\//.exec(resolved)?.[1]
    const throughDoor = !feature || file.startsWith(`web/features/${feature}/`) || resolved === `web/features/${feature}/index.ts`
    if (!throughDoor && !isTest(file)) broken.push({ rule: 'doors', file, what: `enters ${resolved} beside its door index.ts` })
    return broken
  })
}

function checkPackage(file: string, target: string): Violation[] {
  if (isTest(file)) return []
  return PACKAGE_DOORS.filter(({ name, may }) => name.test(target) && !may.test(file)).map(({ why }) => ({ rule: 'doors', file, what: `imports ${target}: ${why}` }))
}

function checkClocks(file: string, text: string): Violation[] {
  if (!CORES.test(file) || isTest(file)) return []
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/[^\n]*/g, '')
  const found = CLOCKS.exec(code)
  return found ? [{ rule: 'clocks', file, what: `a core says ${found[0]}; time and chance are inputs` }] : []
}

function checkName(file: string): Violation[] {
  if (EXEMPT.test(file)) return []
  const base = posix.basename(file)
  const broken: Violation[] = []
  if (SOURCE.test(file) && !KEBAB.test(base)) broken.push({ rule: 'names', file, what: 'file names are kebab-case' })
  if (DRAWERS.test(file)) broken.push({ rule: 'names', file, what: 'a drawer: name the concept instead' })
  return broken
}

function checkSize(file: string, text: string): Violation[] {
  if (!SOURCE.test(file) || EXEMPT.test(file)) return []
  const lines = text.split('\n').length - 1
  const max = isTest(file) ? TEST_LINES_MAX : LINES_MAX
  return lines > max ? [{ rule: 'sizes', file, what: `${lines} lines, at most ${max}: find the second concept` }] : []
}

/** Trusted Types and the CSP stay strict only without these (rulings 16). */
function checkMarkup(file: string, text: string): Violation[] {
  if (!/^web\/.*\.tsx?$/.test(file) || isTest(file) || file === 'web/platform/trusted-types.ts') return []
  const found = /\b(?:innerHTML|outerHTML|insertAdjacentHTML)\b|\sstyle="/.exec(text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/[^\n]*/g, ''))
  return found ? [{ rule: 'markup', file, what: `uses ${found[0].trim()}` }] : []
}

/** Circles of imports that exist at run time. */
function checkCycles(code: readonly (readonly [string, string])[]): Violation[] {
  const known = new Set(code.map(([file]) => file))
  const graph = new Map(code.map(([file, text]) => [file, importsOf(text).filter((one) => !one.typeOnly).flatMap((one) => {
    const resolved = resolveImport(file, one.target)
    return resolved !== null && known.has(resolved) ? [resolved] : []
  })]))
  const state = new Map<string, 'open' | 'done'>()
  const broken: Violation[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      broken.push({ rule: 'cycles', file, what: [...path.slice(path.indexOf(file)), file].join(' -> ') })
      return
    }
    state.set(file, 'open')
    for (const next of graph.get(file) ?? []) visit(next, [...path, file])
    state.set(file, 'done')
  }
  for (const file of graph.keys()) visit(file, [])
  return broken
}

/** Every room says what lives there and what it may import. */
function checkReadmes(house: House): Violation[] {
  const rooms = new Set([...house.keys()].filter((file) => SOURCE.test(file)).flatMap((file) => {
    const [top, second, third] = file.split('/')
    if (!top || !second || top.startsWith('.')) return []
    return (top === 'relay' || top === 'web') && third && second !== 'channels' ? [top, `${top}/${second}`] : [top]
  }))
  return [...rooms].filter((room) => !house.has(`${room}/README.md`)).map((room) => ({ rule: 'readmes', file: room, what: 'this room has no README.md' }))
}
