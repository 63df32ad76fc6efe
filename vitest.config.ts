import solid from 'vite-plugin-solid'
import { defineConfig } from 'vitest/config'

/** `node`: cores, relay, everything in one process; `page`: what needs Solid or a browser's storage; `contract`: a real Hermes; `e2e`: a real browser. */
export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: 'node', environment: 'node', include: ['{protocol,relay,scripts}/**/*.test.ts', 'web/core/**/*.test.ts', 'tests/*.test.ts', 'tests/{world,faults}/**/*.test.ts'],
        },
      },
      {
        plugins: [solid()],
        test: { name: 'page', environment: 'node', include: ['web/{net,state,storage,features,ui,platform}/**/*.test.{ts,tsx}', 'sw/**/*.test.ts'], setupFiles: [] },
      },
      {
        // Against a real Hermes for each file: most of the time is waiting for it, so two files share the two cores.
        test: { name: 'contract', environment: 'node', include: ['tests/contract/**/*.contract.test.ts'], maxWorkers: 2, pool: 'forks', testTimeout: 120_000, hookTimeout: 120_000 },
      },
      {
        // A real browser against a real relay. `npm test` runs it with --no-file-parallelism (a project cannot say so itself).
        test: { name: 'e2e', environment: 'node', include: ['tests/e2e/**/*.e2e.ts'], pool: 'forks', testTimeout: 90_000, hookTimeout: 90_000 },
      },
    ],
  },
})
