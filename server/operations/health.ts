import { z } from 'zod'
import { instant } from './instant'
import { operation } from './operation'

/** Below this Node runs the server, but somebody should be told to move on. */
const RECOMMENDED_NODE = 22

/** Whether anything does not hold: violations found so far, storage, queue. Reads what is known; looks at nothing anew. */
export const health = operation({
  right: 'read',
  request: z.strictObject({}),
  run: async (ctx) => {
    const violations = ctx.runs.violations()
    const storage = await ctx.storage.use()
    const { slots, inUse, queued } = ctx.runs.admission()
    return {
      status: violations.length > 0 || storage.level !== 'ok' ? 'degraded' : 'ok',
      violations: violations.map((one) => ({
        execution_id: one.executionId,
        ...(one.nodeId === null ? {} : { node_id: one.nodeId }),
        rule: one.rule,
        message: one.message,
        since: instant(one.since),
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
      queue: { slots, in_use: inUse, waiting: queued.length },
    }
  },
})
