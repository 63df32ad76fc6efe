/** Types of build.mjs, for tests in TypeScript. */
export const root: string
export function whatIsOld(options?: { isForced?: boolean }): { name: string; output: string; hash: string }[]
export function bundleRelay(outdir: string): Promise<void>
