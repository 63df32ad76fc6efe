/**
 * The page's only Trusted Types policy. Its HTML comes from Solid's compiled templates: compile-time strings, never data. Its scripts are
 * on a list, letter by letter but for the hash of a build.
 */

type Policy = { createHTML(html: string): string; createScriptURL(url: string): string }
type Factory = { createPolicy(name: string, rules: Policy): Policy }

export const WORKER_URL = '/app/sw.js'
const SCRIPT_URLS: readonly RegExp[] = [/^\/app\/sw\.js$/, /^\/app\/assets\/colour-worker-[\w-]{8}\.js$/, ...(import.meta.env.DEV ? [/^\/app\/features\/.*\/colour-worker\.ts\?/] : [])]

const rules: Policy = {
  createHTML: (html) => html,
  createScriptURL(url) {
    if (!SCRIPT_URLS.some((allowed) => allowed.test(url))) throw new TypeError(`not one of our scripts: ${url}`)
    return url
  },
}
const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes
const policy: Policy = factory ? factory.createPolicy('app', rules) : rules

/** Called by the rewritten `template()` of solid-js/web (vite.config.ts) and by nothing else. */
export const trustedTemplate = (html: string): string => policy.createHTML(html)

/** For `register` and `new Worker`, which refuse a plain string. */
export const trustedScript = (url: string): string => policy.createScriptURL(url)
