import { defineConfig } from 'vitest/config'

/** One file after the other: each drives a browser, and two browsers on two cores measure each other. */
export default defineConfig({ test: { name: 'e2e', environment: 'node', include: ['tests/e2e/**/*.e2e.ts'], testTimeout: 60_000, hookTimeout: 60_000, fileParallelism: false } })
