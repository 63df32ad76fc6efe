/** Languages that are coloured, each in a chunk of its own that is loaded when a block asks for it. */
const bash = () => import('@shikijs/langs/shellscript')
const ts = () => import('@shikijs/langs/typescript')
const js = () => import('@shikijs/langs/javascript')
const python = () => import('@shikijs/langs/python')
const yaml = () => import('@shikijs/langs/yaml')

export const LANGUAGES = {
  bash, sh: bash, shell: bash, zsh: bash, console: bash, ts, typescript: ts, js, javascript: js, mjs: js, tsx: () => import('@shikijs/langs/tsx'), jsx: () => import('@shikijs/langs/jsx'),
  json: () => import('@shikijs/langs/json'), jsonc: () => import('@shikijs/langs/jsonc'), python, py: python, yaml, yml: yaml, toml: () => import('@shikijs/langs/toml'), ini: () => import('@shikijs/langs/ini'),
  html: () => import('@shikijs/langs/html'), css: () => import('@shikijs/langs/css'), sql: () => import('@shikijs/langs/sql'), rust: () => import('@shikijs/langs/rust'), rs: () => import('@shikijs/langs/rust'),
  go: () => import('@shikijs/langs/go'), java: () => import('@shikijs/langs/java'), kotlin: () => import('@shikijs/langs/kotlin'), c: () => import('@shikijs/langs/c'), diff: () => import('@shikijs/langs/diff'),
  dockerfile: () => import('@shikijs/langs/docker'), nginx: () => import('@shikijs/langs/nginx'), ruby: () => import('@shikijs/langs/ruby'), php: () => import('@shikijs/langs/php'),
} as const
export type LanguageName = keyof typeof LANGUAGES
