import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import { operation } from './operation'
import { instantText, principalId } from './schemas/json'

/** Names of secrets and when they were set. No call answers with a value. */
export const listSecrets = operation({
  kind: 'query',
  summary: 'List names of secrets',
  right: 'administer',
  rest: { method: 'GET', path: '/secrets' },
  request: z.strictObject({}),
  answer: z.strictObject({
    items: z.array(
      z
        .strictObject({
          name: z.string(),
          created_at: instantText,
          updated_at: instantText,
          updated_by: z.string(),
          updated_by_id: principalId,
        })
        .meta({ id: 'Secret' }),
    ),
    next_cursor: z.null(),
  }),
  example: {
    request: {},
    answer: {
      items: [
        {
          name: 'weather_hook',
          created_at: '2026-01-30T08:00:00.000Z',
          updated_at: '2026-01-30T08:00:00.000Z',
          updated_by: 'ada',
          updated_by_id: 'usr_01jdw3q8',
        },
      ],
      next_cursor: null,
    },
  },
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
