import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: {
    alias: [{ find: /^@\//, replacement: fileURLToPath(new URL('./', import.meta.url)) }],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    include: ['{core,tasks,server,components,sdk,cli,testing,scripts,bench}/**/*.test.{ts,tsx}'],
    exclude: ['**/node_modules/**', 'scripts/lint-fixtures/**'],
    environment: 'node',
    globals: false,
    pool: 'forks',
    // Many of them wait for processes: two at once are no slower each, where there are two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A unit test takes milliseconds; those that start processes or compile something say so in their own options.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    restoreMocks: true,
  },
})
