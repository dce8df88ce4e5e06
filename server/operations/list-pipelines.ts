import { z } from 'zod'
import { withCursor } from './cursor'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { pageFields } from './request-fields'
import { instantText, pageOf } from './schemas/json'

/** Pipelines that are not deleted, a page at a time; `search` looks in ids and names. */
export const listPipelines = operation({
  kind: 'query',
  summary: 'List pipelines',
  right: 'read',
  rest: { method: 'GET', path: '/pipelines' },
  request: z.strictObject({ ...pageFields, search: z.string().min(1).max(200).optional() }),
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
  run: async (ctx, _caller, { limit, cursor, search }) => {
    const page = await withCursor(
      ctx.pipelines.list({
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(search === undefined ? {} : { search }),
      }),
    )
    return {
      items: page.items.map((row) => ({
        id: row.id,
        name: row.name,
        description: row.description,
        labels: row.labels,
        revision: row.revision,
        created_at: formatInstant(row.createdAt),
        updated_at: formatInstant(row.updatedAt),
      })),
      next_cursor: page.nextCursor,
    }
  },
})
