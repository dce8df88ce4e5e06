import { z } from 'zod'
import { executionSummary } from './execution-summary'
import { approvalSummary } from './list-approvals'
import { operation } from './operation'

const shown = 10

/** What is going on now: counts, what runs, who is waited for, what failed lately, slots. */
export const overview = operation({
  right: 'read',
  request: z.strictObject({}),
  run: async (ctx, caller) => {
    const [counts, active, failed, approvals, waiting] = await Promise.all([
      ctx.executions.countByStatus(),
      ctx.executions.list({
        statuses: ['pending', 'running', 'paused', 'waiting', 'verifying', 'rolling_back'],
        limit: shown,
      }),
      ctx.executions.list({ statuses: ['failed'], limit: shown }),
      ctx.approvals.pending({ limit: shown }),
      ctx.approvals.count(),
    ])
    const { slots, inUse, queued } = ctx.orchestrator.admission()
    return {
      counts,
      running: active.items.map(executionSummary),
      failed: failed.items.map(executionSummary),
      approvals: {
        pending: waiting,
        items: approvals.items.map((approval) => approvalSummary(approval, caller)),
      },
      slots: { total: slots, in_use: inUse, queued: queued.length },
    }
  },
})
