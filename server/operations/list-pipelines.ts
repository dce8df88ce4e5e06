import { z } from 'zod'
import { withCursor } from './cursor'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { pageFields } from './request-fields'

/** Pipelines that are not deleted, a page at a time; `search` looks in ids and names. */
export const listPipelines = operation({
  right: 'read',
  request: z.strictObject({ ...pageFields, search: z.string().min(1).max(200).optional() }),
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
