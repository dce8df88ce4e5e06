import { z } from 'zod'
import { withCursor } from './cursor'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, pageFields } from './request-fields'

/** The immutable revisions of a pipeline, newest first, without their definitions. */
export const listRevisions = operation({
  right: 'read',
  request: z.strictObject({ pipeline_id: idField, ...pageFields }),
  run: async (ctx, _caller, { pipeline_id, limit, cursor }) => {
    if (!(await ctx.pipelines.get(pipeline_id))) throw missing('pipeline', pipeline_id)
    const page = await withCursor(
      ctx.pipelines.revisions(pipeline_id, { limit, ...(cursor === undefined ? {} : { cursor }) }),
    )
    return {
      items: page.items.map((row) => ({
        revision: row.revision,
        digest: row.digest,
        created_at: formatInstant(row.createdAt),
        created_by: row.createdBy,
        created_by_id: row.createdById,
        note: row.note,
      })),
      next_cursor: page.nextCursor,
    }
  },
})
