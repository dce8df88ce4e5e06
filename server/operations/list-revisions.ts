import { z } from 'zod'
import { withCursor } from './cursor'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, pageFields } from './request-fields'
import { instantText, pageOf, principalId } from './schemas/json'

/** The immutable revisions of a pipeline, newest first, without their definitions. */
export const listRevisions = operation({
  kind: 'query',
  summary: 'List revisions of a pipeline, newest first',
  right: 'read',
  rest: { method: 'GET', path: '/pipelines/:pipeline_id/revisions' },
  request: z.strictObject({ pipeline_id: idField, ...pageFields }),
  answer: pageOf(
    z
      .strictObject({
        revision: z.int().min(1),
        digest: z.string(),
        created_at: instantText,
        created_by: z.string(),
        created_by_id: principalId,
        note: z.string().nullable(),
      })
      .meta({ id: 'RevisionSummary' }),
  ),
  errors: ['not_found'],
  example: {
    request: { pipeline_id: 'seattle_weather' },
    answer: {
      items: [
        {
          revision: 3,
          digest: '2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae',
          created_at: '2026-01-30T09:30:00.000Z',
          created_by: 'ada',
          created_by_id: 'usr_01jdw3q8',
          note: null,
        },
      ],
      next_cursor: null,
    },
  },
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
