/** Builds the page into dist/web: no inline script or style, one named Trusted Types policy (docs of the plugin below). */
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import solid from 'vite-plugin-solid'

const ASSIGNMENT = 't.innerHTML = html'

/**
 * Solid clones templates by assigning innerHTML. This gives that one assignment our policy, by module and not by a global, and
 * fails the build when Solid changed its words. No `default` policy: it would bless every innerHTML of every library.
 */
function trustedTemplates(): Plugin {
  let rewrites = 0
  return {
    name: 'hermes:trusted-templates', apply: 'build', enforce: 'pre',
    transform(code, id) {
      if (!/solid-js\/web\/dist\/web\.js$/.test(id.split('?')[0] ?? '')) return null
      if (code.split(ASSIGNMENT).length !== 2) this.error(`solid-js/web: "${ASSIGNMENT}" must be there exactly once`)
      rewrites += 1
      return { code: `import { trustedTemplate } from '#web/platform/trusted-types.ts'\n${code.replace(ASSIGNMENT, 't.innerHTML = trustedTemplate(html)')}`, map: null }
    },
    buildEnd(error) {
      if (!error && rewrites !== 1) this.error(`solid-js/web was rewritten ${rewrites} times, expected once`)
    },
  }
}

/** `#web/…` inside node_modules is not our package's import map, so it is resolved here. */
const resolvePolicy = (): Plugin => ({
  name: 'hermes:policy-path', enforce: 'pre',
  resolveId: (id) => (id === '#web/platform/trusted-types.ts' ? fileURLToPath(new URL('./web/platform/trusted-types.ts', import.meta.url)) : null),
})

/** The conversation is fetched beside the first script, not after it has run. */
const preloadChat = (): Plugin => ({
  name: 'hermes:preload-chat', apply: 'build',
  transformIndexHtml: { order: 'post', handler: (html, { bundle }) => {
    const chat = Object.values(bundle ?? {}).find((chunk) => chunk.type === 'chunk' && chunk.isDynamicEntry && chunk.facadeModuleId?.endsWith('/features/chat/chat-page.tsx'))
    if (chat?.type !== 'chunk') throw new Error('the chunk of the conversation is not there')
    return [chat.fileName, ...chat.imports].filter((file) => !html.includes(file)).map((file) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/app/${file}` }, injectTo: 'head' as const }))
  } },
})
/** Small parts that the conversation needs at once are one file with it. */
const FIRST = /\/web\/(?:ui\/(?:button|choices|icon|menu|menu-keys|place|sheet|tooltip|when)|platform\/(?:idle|kept-place)|state\/(?:shortcuts|layers|preferences|connection-words|session-deeds)|features\/chat\/as-markdown)\.tsx?$/

const relay = process.env['HERMES_RELAY_URL']

/** `npm run dev`: the relay sees its own address, as if the page came from it. */
const throughTo = (target: string, ws: boolean) => ({ target, ws, changeOrigin: true, headers: { origin: target } })

export default defineConfig({
  root: 'web',
  base: '/app/',
  publicDir: '../public',
  plugins: [resolvePolicy(), trustedTemplates(), solid(), preloadChat()],
  build: { outDir: '../dist/web', emptyOutDir: true, target: 'es2023', modulePreload: { polyfill: false }, assetsInlineLimit: 0, rollupOptions: { output: { codeSplitting: { groups: [{ name: 'first', test: FIRST }] } }, treeshake: { manualPureFunctions: ['z', 'frame'] } }, cssTarget: 'es2023', reportCompressedSize: true },
  worker: { format: 'es' },
  server: relay ? { proxy: { '/relay': throughTo(relay, true), '/dashboard': throughTo(relay, false) } } : {},
})
