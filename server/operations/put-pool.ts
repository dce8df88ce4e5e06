import { z } from 'zod'
import { DEFAULT_GROUP, GROUP_POOLS, MEMORY, partsOfPool } from '@/core/pipeline/definition/demand'
import { MOST_MEMORY, memoryHint, parseMemory } from '@/core/pipeline/memory-size'
import { DomainError } from './domain-error'
import { poolNamed } from './get-pool'
import { operation } from './operation'
import { poolNameField } from './request-fields'
import { examplePool, isFixed, pool } from './schemas/pool'

/** More make no list that anybody reads. */
const MOST_POOLS = 500

/**
 * Sets how much there is of a pool, or makes one. It counts at once, while runs go on: what is held stays held, and what does not fit
 * any more waits [H-6].
 */
export const putPool = operation({
  kind: 'command',
  summary: 'Set the capacity of a pool',
  right: 'administer',
  rest: { method: 'PUT', path: '/pools/:name' },
  request: z.strictObject({
    name: poolNameField,
    capacity: z
      .union([z.number().min(0).max(MOST_MEMORY), z.string().min(1).max(40)])
      .meta({ description: 'Slots, cores, gpus or units; of memory bytes, or a text such as 500Gi.' }),
  }),
  answer: pool,
  errors: ['limit_reached'],
  example: { request: { name: 'warehouse', capacity: 4 }, answer: examplePool },
  run: async (ctx, caller, { name, capacity: given }) => {
    demandSettable(name)
    const capacity = capacityOf(name, given)
    const rows = await ctx.pools.list()
    const before = rows.find((row) => row.name === name)
    if (before === undefined && rows.length >= MOST_POOLS)
      throw new DomainError(
        'limit_reached',
        `There are ${MOST_POOLS} pools already: remove one that nobody uses.`,
      )
    const at = ctx.clock.now()
    const { name: updatedBy, id: updatedById } = caller
    await ctx.pools.put({ name, capacity, updatedAt: at, updatedBy, updatedById })
    await ctx.engine.poolsChanged()
    const result = { capacity, before: before?.capacity ?? null }
    await ctx.audit.append({
      at,
      actor: updatedBy,
      actorId: updatedById,
      action: 'pool.set',
      subject: name,
      result,
    })
    return poolNamed(ctx, name)
  },
})

/** @throws DomainError `invalid_request` for a pool that only the settings of the server change, or that nobody could demand */
export function demandSettable(name: string): void {
  const { group, pool: own } = partsOfPool(name)
  const message = isFixed(name)
    ? `${name} is a setting of the server: change PENSTOCK_MAX_CHILD_PROCESSES and restart it`
    : !name.includes('.')
      ? null
      : group === DEFAULT_GROUP
        ? `the pools of the default worker group are called ${GROUP_POOLS.join(', ')}: write ${own}`
        : GROUP_POOLS.includes(own)
          ? null
          : `the pools of a worker group are ${GROUP_POOLS.join(', ')}`
  if (message === null) return
  throw new DomainError('invalid_request', message, [{ path: ['name'], code: 'invalid_value', message }])
}

/** @throws DomainError `invalid_request` */
function capacityOf(name: string, given: number | string): number {
  const { pool: own } = partsOfPool(name)
  const capacity = typeof given === 'number' ? given : own === MEMORY ? parseMemory(given) : null
  const whole = own === MEMORY || own === 'slots'
  if (capacity !== null && (!whole || Number.isInteger(capacity))) return Math.round(capacity * 1_000) / 1_000
  const hint = own === MEMORY ? memoryHint : whole ? 'write a whole number' : 'write a number'
  const message = `${JSON.stringify(given)} is no capacity of pool ${name}: ${hint}`
  throw new DomainError('invalid_request', message, [{ path: ['capacity'], code: 'invalid_value', message }])
}
