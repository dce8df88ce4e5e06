import { z } from 'zod'
import type { OperationContext } from './context'
import { operation } from './operation'
import { missing } from './refusal'
import { poolNameField } from './request-fields'
import { examplePool, pool, poolAnswer } from './schemas/pool'

/** One pool with its capacity, and how much of it is in use. */
export const getPool = operation({
  kind: 'query',
  summary: 'Get a pool',
  right: 'read',
  rest: { method: 'GET', path: '/pools/:name' },
  request: z.strictObject({ name: poolNameField }),
  answer: pool,
  errors: ['not_found'],
  example: { request: { name: 'warehouse' }, answer: examplePool },
  run: (ctx, _caller, { name }) => poolNamed(ctx, name),
})

/** @throws DomainError `not_found` */
export async function poolNamed(ctx: OperationContext, name: string) {
  const state = ctx.runs.pools().find((one) => one.name === name)
  if (state === undefined) throw missing('pool', name)
  const row = (await ctx.pools.list()).find((one) => one.name === name)
  return poolAnswer(state, row)
}
