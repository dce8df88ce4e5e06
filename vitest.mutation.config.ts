import usual from './vitest.config'

const { projects: _, ...options } = usual.test ?? {}

/** The fast tests of the core: what has to see a mutant of it, without the help of simulated worlds and servers. */
export default {
  ...usual,
  test: {
    ...options,
    exclude: ['core/engine/{large-values,decide/reset-properties}.test.ts'],
    include: ['core/pipeline/gate/{evaluate,start-when}.test.ts', 'core/engine/**/*.test.ts'],
  },
}
