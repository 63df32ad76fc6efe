import solid from 'vite-plugin-solid'
import { defineConfig } from 'vitest/config'

/** Two worlds: `node` for cores, relay and everything together; `page` for what needs Solid and a browser's storage. */
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
        // Against a real Hermes, one file after another: it is slow to start and needs a core for itself.
        test: { name: 'contract', environment: 'node', include: ['tests/contract/**/*.contract.test.ts'], fileParallelism: false, pool: 'forks', testTimeout: 60_000, hookTimeout: 90_000 },
      },
    ],
  },
})
