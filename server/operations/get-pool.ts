import { z } from 'zod'
import type { OperationContext } from './context'
import { operation } from './operation'
import { exampleHolder, holder, holdersOf } from './pool-holders'
import { missing } from './refusal'
import { examplePool, pool, poolAnswer } from './schemas/pool'

/** One pool with its capacity, and who holds how much of it since when. */
export const getPool = operation({
  kind: 'query',
  summary: 'Get a pool',
  right: 'read',
  rest: { method: 'GET', path: '/pools/:name' },
  request: z.strictObject({ name: z.string() }),
  answer: pool.extend({ holders: z.array(holder), others: z.array(z.string()), more: z.number() }),
  errors: ['not_found'],
  example: {
    request: { name: 'warehouse' },
    answer: { ...examplePool, holders: [exampleHolder], others: [], more: 0 },
  },
  run: async (ctx, _caller, { name }) => ({
    ...(await poolNamed(ctx, name)),
    ...(await holdersOf(ctx, name)),
  }),
})

/** @throws DomainError `not_found` */
export async function poolNamed(ctx: OperationContext, name: string) {
  const state = ctx.runs.pools().find((one) => one.name === name)
  if (state === undefined) throw missing('pool', name)
  const row = (await ctx.pools.list()).find((one) => one.name === name)
  return poolAnswer(state, row)
}
