import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { event, exampleEvent } from './schemas/event'

/** The latest event of a type; `not_found` while there is none. */
export const getEvent = operation({
  kind: 'query',
  summary: 'Get the latest event of a type',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/events/:event_type', head: true },
  request: z.strictObject({ execution_id: idField, event_type: z.string().min(1).max(300) }),
  answer: event,
  errors: ['not_found', 'set_apart'],
  example: { request: { execution_id: '01JDW3Q8', event_type: 'pipeline.created' }, answer: exampleEvent },
  run: async (ctx, _caller, { execution_id, event_type }) => {
    await executionRow(ctx, execution_id)
    const event = await ctx.events.get(execution_id, event_type)
    if (!event) throw missing('event', event_type)
    return event
  },
})
