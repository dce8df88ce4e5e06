import { z } from 'zod'
import { withCursor } from './cursor'
import { operation } from './operation'
import { idField, pageFields } from './request-fields'
import { scheduleSummary } from './schedule-summary'

/** Cron triggers of the latest revisions: when each fires next, and what its last fire led to. */
export const listSchedules = operation({
  right: 'read',
  request: z.strictObject({ ...pageFields, pipeline: idField.optional() }),
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
