import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/** Files whose subject is a process: each runs in a process of its own. */
const PROCESSES = [
  '{scripts,testing}/**/*.test.ts',
  'server/*.test.ts',
  'server/runner/**/*.test.ts',
  'tasks/shell/*.test.ts',
]

/** The longest files, longest first. */
const LONGEST = [
  'testing/kill-restart',
  'server/serve',
  'testing/simulation/first-half',
  'testing/many-runs',
  'tasks/shell/run',
  'testing/failpoints',
  'testing/kill-in-flight',
  'testing/simulation/second-half',
]

/** Longest files first: a fresh clone has no record of times, and a long file that begins last runs alone. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((file) => moduleId.endsWith(`/${file}.test.ts`))
      return at < 0 ? LONGEST.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

const exclude = ['**/node_modules/**', 'scripts/lint-fixtures/**']

export default defineConfig({
  resolve: {
    alias: [{ find: /^@\//, replacement: fileURLToPath(new URL('./', import.meta.url)) }],
  },
  oxc: { jsx: { runtime: 'automatic' } },
  test: {
    environment: 'node',
    globals: false,
    pool: 'forks',
    // Many of them wait for processes: two at once are no slower each, where there are two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    // A unit test takes milliseconds; those that start processes or compile something say so in their own options.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    teardownTimeout: 10_000,
    passWithNoTests: false,
    restoreMocks: true,
    projects: [
      { extends: true, test: { name: 'processes', include: PROCESSES, exclude } },
      {
        extends: true,
        test: {
          name: 'shared',
          // The modules hold no state of a test: they are loaded once for all the files of a worker.
          isolate: false,
          include: ['{core,tasks,server,components,sdk,cli,bench}/**/*.test.{ts,tsx}'],
          exclude: [...exclude, ...PROCESSES],
        },
      },
    ],
  },
})
