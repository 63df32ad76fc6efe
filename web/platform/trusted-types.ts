/** The page's only Trusted Types policy. Its HTML comes from Solid's compiled templates: compile-time strings, never data. */

type Policy = { createHTML(html: string): string }
type Factory = { createPolicy(name: string, rules: Policy): Policy }

const factory = (globalThis as { trustedTypes?: Factory }).trustedTypes
const policy: Policy = factory ? factory.createPolicy('app', { createHTML: (html) => html }) : { createHTML: (html) => html }

/** Called by the rewritten `template()` of solid-js/web (vite.config.ts) and by nothing else. */
export const trustedTemplate = (html: string): string => policy.createHTML(html)
