import { z } from 'zod'
import { CHILDREN } from '@/core/pipeline/definition/demand'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { unreachableApprovals } from './unreachable-approvals'
import { count, instantText } from './schemas/json'

/** Below this Node runs the server, but an upgrade is advised. */
const RECOMMENDED_NODE = 22

/** Whether anything does not hold: violations found so far, approvals that nobody can give, storage, queue. */
export const health = operation({
  kind: 'query',
  summary: 'Get violations, storage and queue of the server',
  right: 'read',
  rest: { method: 'GET', path: '/health' },
  request: z.strictObject({}),
  answer: z.strictObject({
    status: z.enum(['ok', 'degraded']),
    violations: z.array(
      z.strictObject({
        execution_id: z.string(),
        node_id: z.string().optional(),
        rule: z.string(),
        message: z.string(),
        since: instantText,
      }),
    ),
    storage: z.strictObject({
      level: z.enum(['ok', 'near', 'full']),
      database_bytes: count,
      wal_bytes: count,
      budget_bytes: count.nullable(),
      disk_free_bytes: count.nullable(),
    }),
    node: z.strictObject({ version: z.string(), recommended: z.boolean() }),
    queue: z.strictObject({
      slots: count,
      in_use: count,
      waiting: count,
      /** Attempts in child processes, of how many at once; null: any number. */
      children: z.strictObject({ capacity: count.nullable(), in_use: count, waiting: count }),
    }),
  }),
  example: {
    request: {},
    answer: {
      status: 'ok',
      violations: [],
      storage: {
        level: 'ok',
        database_bytes: 40960,
        wal_bytes: 0,
        budget_bytes: null,
        disk_free_bytes: null,
      },
      node: { version: 'v22.12.0', recommended: true },
      queue: { slots: 100, in_use: 4, waiting: 0, children: { capacity: 8, in_use: 3, waiting: 0 } },
    },
  },
  run: async (ctx) => {
    const violations = [...ctx.runs.violations(), ...(await unreachableApprovals(ctx))]
    const storage = await ctx.storage.use()
    const { slots, inUse, queued } = ctx.runs.admission()
    const children = ctx.runs.poolOf(CHILDREN)
    return {
      status: violations.length > 0 || storage.level !== 'ok' ? ('degraded' as const) : ('ok' as const),
      violations: violations.map((one) => ({
        execution_id: one.executionId,
        ...(one.nodeId === null ? {} : { node_id: one.nodeId }),
        rule: one.rule,
        message: one.message,
        since: formatInstant(one.since),
      })),
      storage: {
        level: storage.level,
        database_bytes: storage.databaseBytes,
        wal_bytes: storage.walBytes,
        budget_bytes: storage.budgetBytes,
        disk_free_bytes: storage.diskFreeBytes,
      },
      node: {
        version: ctx.nodeVersion,
        recommended: Number.parseInt(ctx.nodeVersion.slice(1), 10) >= RECOMMENDED_NODE,
      },
      queue: {
        slots,
        in_use: inUse,
        waiting: queued.length,
        children: { capacity: children.capacity, in_use: children.used, waiting: children.waiting },
      },
    }
  },
})
