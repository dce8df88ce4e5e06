import { z } from 'zod'
import { withCursor } from './cursor'
import { operation } from './operation'
import { idField, pageFields } from './request-fields'
import { exampleSchedule, schedule, scheduleSummary } from './schedule-summary'
import { pageOf } from './schemas/json'

/** Cron triggers of the latest revisions: when each fires next, and what its last fire led to. */
export const listSchedules = operation({
  kind: 'query',
  summary: 'List schedules: when they fire next and what their last fire started',
  right: 'read',
  rest: { method: 'GET', path: '/schedules' },
  request: z.strictObject({ ...pageFields, pipeline: idField.optional() }),
  answer: pageOf(schedule),
  example: { request: {}, answer: { items: [exampleSchedule], next_cursor: null } },
  run: async (ctx, _caller, { limit, cursor, pipeline }) => {
    const page = await withCursor(
      ctx.schedules.list({
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(pipeline === undefined ? {} : { pipelineId: pipeline }),
      }),
    )
    return { items: page.items.map(scheduleSummary), next_cursor: page.nextCursor }
  },
})
