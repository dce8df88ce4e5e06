import { z } from 'zod'
import { executionSummary } from './execution-summary'
import { CHILDREN } from '@/core/pipeline/definition/demand'
import { formatInstant } from '@/core/engine/instant'
import { approvalSummary } from './list-approvals'
import { operation } from './operation'
import { approval, exampleApproval } from './schemas/approval'
import { exampleSummary, executionSummary as executionSummaryAnswer } from './schemas/execution'
import { count, instantText } from './schemas/json'

const shown = 10
/** What ended lately is counted by hour, for a day. */
const HOUR = 3_600_000
const HOURS = 24

/** What is going on now: counts, what runs, who is waited for, what failed lately, slots; and what ended in each of the last 24 hours. */
export const overview = operation({
  kind: 'query',
  summary: 'Get what is going on now',
  right: 'read',
  rest: { method: 'GET', path: '/overview' },
  request: z.strictObject({}),
  answer: z.strictObject({
    counts: z.record(z.string(), count),
    running: z.array(executionSummaryAnswer),
    failed: z.array(executionSummaryAnswer),
    approvals: z.strictObject({ pending: count, items: z.array(approval) }),
    handled: z
      .array(executionSummaryAnswer)
      .meta({ description: 'Executions of the last 24 hours that completed although something failed.' }),
    ended: z.array(
      z.strictObject({
        from: instantText,
        counts: z.record(z.string(), count),
        handled: count.meta({ description: 'How many of the completed ones have handled failures.' }),
      }),
    ),
    slots: z.strictObject({ total: count, in_use: count, queued: count }),
    /** Attempts in child processes; `total` null: any number at once. */
    children: z.strictObject({ total: count.nullable(), in_use: count, queued: count }),
  }),
  example: {
    request: {},
    answer: {
      counts: { running: 1 },
      running: [exampleSummary],
      failed: [],
      handled: [],
      approvals: { pending: 1, items: [exampleApproval] },
      ended: [{ from: '2026-01-31T05:00:00.000Z', counts: { completed: 12 }, handled: 1 }],
      slots: { total: 100, in_use: 4, queued: 0 },
      children: { total: 8, in_use: 3, queued: 0 },
    },
  },
  run: async (ctx, caller) => {
    const firstHour = Math.floor(ctx.clock.now() / HOUR) - HOURS + 1
    const [counts, active, failed, approvals, waiting, closed] = await Promise.all([
      ctx.executions.countByStatus(),
      ctx.executions.list({
        statuses: ['pending', 'running', 'paused', 'verifying', 'rolling_back'],
        limit: shown,
      }),
      ctx.executions.list({ statuses: ['failed'], limit: shown }),
      ctx.approvals.pending({ limit: shown }),
      ctx.approvals.count(),
      ctx.executions.closedSince(firstHour * HOUR, HOUR),
    ])
    const ofHour = (hour: number) => closed.filter(({ slice }) => slice === firstHour + hour)
    // Where there is none, looking for one would read every run of the day.
    const handled = closed.some((each) => each.handled > 0)
      ? await ctx.executions.list({
          statuses: ['completed'],
          handledFailures: true,
          from: firstHour * HOUR,
          limit: shown,
        })
      : { items: [] }
    const { slots, inUse, queued } = ctx.runs.admission()
    const children = ctx.runs.poolOf(CHILDREN)
    return {
      counts,
      running: active.items.map(executionSummary),
      failed: failed.items.map(executionSummary),
      handled: handled.items.map(executionSummary),
      approvals: {
        pending: waiting,
        items: await Promise.all(approvals.items.map((approval) => approvalSummary(ctx, approval, caller))),
      },
      ended: Array.from({ length: HOURS }, (_, at) => ({
        from: formatInstant((firstHour + at) * HOUR),
        counts: Object.fromEntries(ofHour(at).map(({ status, count }) => [status, count])) as Record<
          string,
          number
        >,
        handled: ofHour(at).reduce((sum, each) => sum + each.handled, 0),
      })),
      slots: { total: slots, in_use: inUse, queued: queued.length },
      children: { total: children.capacity, in_use: children.used, queued: children.waiting },
    }
  },
})
