/** Types of build-worker.mjs, for tests in TypeScript. */
export function buildWorker(webFolder: string): Promise<{ count: number; version: string }>
