import { z } from 'zod'
import { operation } from './operation'
import { examplePool, pool, poolAnswer } from './schemas/pool'

/** Every pool with its capacity, and how much of it is in use [H-6]. */
export const listPools = operation({
  kind: 'query',
  summary: 'List pools',
  right: 'read',
  rest: { method: 'GET', path: '/pools' },
  request: z.strictObject({}),
  answer: z.strictObject({ items: z.array(pool), next_cursor: z.null() }),
  example: { request: {}, answer: { items: [examplePool], next_cursor: null } },
  run: async (ctx) => {
    const rows = new Map((await ctx.pools.list()).map((row) => [row.name, row]))
    return {
      items: ctx.runs.pools().map((state) => poolAnswer(state, rows.get(state.name))),
      next_cursor: null,
    }
  },
})
