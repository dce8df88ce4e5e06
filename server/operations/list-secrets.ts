import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'

/** Names of secrets and when they were set. No call tells a value. */
export const listSecrets = operation({
  right: 'administer',
  request: z.strictObject({}),
  run: async (ctx) => {
    const rows = await ctx.secrets.list()
    return {
      items: rows.map((row) => ({
        name: row.name,
        created_at: formatInstant(row.createdAt),
        updated_at: formatInstant(row.updatedAt),
        updated_by: row.updatedBy,
        updated_by_id: row.updatedById,
      })),
      next_cursor: null,
    }
  },
})
