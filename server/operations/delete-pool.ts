import { z } from 'zod'
import { operation } from './operation'
import { demandSettable } from './put-pool'
import { missing } from './refusal'

/** Removes a pool that somebody made; a usual one has its usual capacity again. Nodes that demand one that is gone wait until there is one. */
export const deletePool = operation({
  kind: 'command',
  summary: 'Remove a pool, or give it its usual capacity',
  right: 'administer',
  rest: { method: 'DELETE', path: '/pools/:name' },
  request: z.strictObject({ name: z.string() }),
  answer: z.null(),
  errors: ['not_found'],
  example: { request: { name: 'warehouse' }, answer: null },
  run: async (ctx, caller, { name }) => {
    demandSettable(name)
    if (!(await ctx.pools.remove(name))) throw missing('pool that somebody set', name)
    await ctx.engine.poolsChanged()
    await ctx.audit.append({
      at: ctx.clock.now(),
      actor: caller.name,
      actorId: caller.id,
      action: 'pool.removed',
      subject: name,
      result: null,
    })
    return null
  },
})
