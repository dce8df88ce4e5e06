import { z } from 'zod'
import { content } from './operation'
import { entry } from './schemas/event'
import { count } from './schemas/json'

/** Lists of which a stream announces changes. */
export const followedLists = ['executions', 'approvals', 'slots', 'health'] as const

const listChange = z
  .strictObject({
    executions: z
      .array(
        z.strictObject({
          execution_id: z.string(),
          pipeline_id: z.string(),
          status: z.string(),
          handled_failures: count,
          mocked: z.boolean(),
        }),
      )
      .optional(),
    more: z
      .boolean()
      .optional()
      .meta({ description: 'Not every changed execution is named: load the list again.' }),
    approvals: z.strictObject({ pending: count }).optional(),
    slots: z.strictObject({ total: count, in_use: count, queued: count }).optional(),
    health: z.strictObject({ violations: count }).optional(),
  })
  .meta({ id: 'ListChange', description: 'What changed in lists. A part that is absent did not change.' })

/** Several executions and the lists in one stream, which is what a page needs. */
export const followMany = content({
  summary: 'Follow several executions and the lists',
  right: 'read',
  rest: { method: 'GET', path: '/stream' },
  request: z.strictObject({
    executions: z
      .array(
        z
          .string()
          .regex(
            /^[A-Za-z0-9_-]{1,128}(?::\d{1,15})?$/,
            'an execution id, or id:seq to start after that seq',
          ),
      )
      .max(20)
      .default([]),
    lists: z.array(z.enum(followedLists)).max(followedLists.length).default([]),
  }),
  errors: ['malformed', 'not_found', 'set_apart', 'unavailable'],
  content: {
    status: 200,
    type: 'text/event-stream',
    schema: z.union([entry, listChange, z.strictObject({ execution_id: z.string() })]),
    description:
      '`event: execution` with an entry of one of the executions, in order of seq for each. `event: lists` with what changed in ' +
      'lists. `event: removed` with the id of an execution that was removed. `id` holds the position in every execution, for `Last-Event-ID`.',
    example: { approvals: { pending: 3 } },
  },
})
