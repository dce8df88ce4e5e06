import { z } from 'zod'
import { executionSummary } from './execution-summary'
import { instant } from './instant'
import { approvalSummary } from './list-approvals'
import { operation } from './operation'

const shown = 10
/** What ended lately is counted by hour, for a day. */
const HOUR = 3_600_000
const HOURS = 24

/** What is going on now: counts, what runs, who is waited for, what failed lately, slots; and what ended in each of the last 24 hours. */
export const overview = operation({
  right: 'read',
  request: z.strictObject({}),
  run: async (ctx, caller) => {
    const firstHour = Math.floor(ctx.clock.now() / HOUR) - HOURS + 1
    const [counts, active, failed, approvals, waiting, closed] = await Promise.all([
      ctx.executions.countByStatus(),
      ctx.executions.list({
        statuses: ['pending', 'running', 'paused', 'waiting', 'verifying', 'rolling_back'],
        limit: shown,
      }),
      ctx.executions.list({ statuses: ['failed'], limit: shown }),
      ctx.approvals.pending({ limit: shown }),
      ctx.approvals.count(),
      ctx.executions.closedSince(firstHour * HOUR, HOUR),
    ])
    const { slots, inUse, queued } = ctx.runs.admission()
    return {
      counts,
      running: active.items.map(executionSummary),
      failed: failed.items.map(executionSummary),
      approvals: {
        pending: waiting,
        items: approvals.items.map((approval) => approvalSummary(approval, caller)),
      },
      ended: Array.from({ length: HOURS }, (_, at) => ({
        from: instant((firstHour + at) * HOUR),
        counts: Object.fromEntries(
          closed.filter(({ slice }) => slice === firstHour + at).map(({ status, count }) => [status, count]),
        ) as Record<string, number>,
      })),
      slots: { total: slots, in_use: inUse, queued: queued.length },
    }
  },
})
