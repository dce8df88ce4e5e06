import { z } from 'zod'
import { withCursor } from './cursor'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import type { OperationContext } from './context'
import { executionSummary } from './execution-summary'
import { pageFields } from './request-fields'
import { schedule, scheduleSummary } from './schedule-summary'
import { executionSummary as executionSummaryAnswer } from './schemas/execution'
import { instantText, pageOf } from './schemas/json'

/** Pipelines that are not deleted, a page at a time; `search` looks in ids and names. */
export const listPipelines = operation({
  kind: 'query',
  summary: 'List pipelines',
  right: 'read',
  rest: { method: 'GET', path: '/pipelines' },
  request: z.strictObject({
    ...pageFields,
    search: z.string().min(1).max(200).optional(),
    activity: z.boolean().optional().describe('Also the latest run and the schedules of each.'),
  }),
  answer: pageOf(
    z
      .strictObject({
        id: z.string(),
        name: z.string(),
        description: z.string().nullable(),
        labels: z.record(z.string(), z.string()),
        revision: z.int().min(1),
        created_at: instantText,
        updated_at: instantText,
        last_run: executionSummaryAnswer.nullable().optional(),
        schedules: z.array(schedule).optional(),
      })
      .meta({ id: 'PipelineSummary' }),
  ),
  example: {
    request: { search: 'weather' },
    answer: {
      items: [
        {
          id: 'seattle_weather',
          name: 'Seattle weather report',
          description: null,
          labels: { team: 'data' },
          revision: 3,
          created_at: '2026-01-30T08:00:00.000Z',
          updated_at: '2026-01-30T09:30:00.000Z',
        },
      ],
      next_cursor: null,
    },
  },
  run: async (ctx, _caller, { limit, cursor, search, activity = false }) => {
    const page = await withCursor(
      ctx.pipelines.list({
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(search === undefined ? {} : { search }),
      }),
    )
    return {
      items: await Promise.all(
        page.items.map(async (row) => ({
          id: row.id,
          name: row.name,
          description: row.description,
          labels: row.labels,
          revision: row.revision,
          created_at: formatInstant(row.createdAt),
          updated_at: formatInstant(row.updatedAt),
          ...(activity ? await activityOf(ctx, row.id) : {}),
        })),
      ),
      next_cursor: page.nextCursor,
    }
  },
})

/** Schedules that are listed of one pipeline. */
const SCHEDULES = 20

async function activityOf({ executions, schedules }: OperationContext, pipelineId: string) {
  const [runs, planned] = await Promise.all([
    executions.list({ pipelineId, limit: 1 }),
    schedules.list({ pipelineId, limit: SCHEDULES }),
  ])
  const [last] = runs.items
  return {
    last_run: last === undefined ? null : executionSummary(last),
    schedules: planned.items.map(scheduleSummary),
  }
}
