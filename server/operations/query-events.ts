import { z } from 'zod'
import { numberCursor, readNumberCursor } from './cursor'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { eventPatternField, idField, instantField, pageFields } from './request-fields'
import { exampleEvent, listedEvent } from './schemas/event'
import { pageOf } from './schemas/json'

/**
 * Events of one execution by seq, filtered. Events that a reset has superseded are left out; with `superseded` they are there and
 * marked.
 */
export const queryEvents = operation({
  kind: 'query',
  summary: 'List events of an execution by seq',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/events' },
  request: z.strictObject({
    execution_id: idField,
    ...pageFields,
    event_types: z.array(eventPatternField).min(1).max(50).optional(),
    entity_type: z.enum(['pipeline', 'node', 'task', 'rollback', 'external']).optional(),
    entity_id: z.string().min(1).max(200).optional(),
    from: instantField.optional(),
    to: instantField.optional(),
    after: z.int().min(0).optional(),
    superseded: z.boolean().optional(),
  }),
  answer: pageOf(listedEvent),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8', event_types: ['pipeline.*'] },
    answer: { items: [exampleEvent], next_cursor: null },
  },
  run: async (ctx, _caller, request) => {
    const start =
      request.cursor === undefined ? (request.after ?? 0) : readNumberCursor('seq', request.cursor)
    await executionRow(ctx, request.execution_id)
    const found = await ctx.events.query(request.execution_id, {
      after: start,
      limit: request.limit + 1,
      ...(request.superseded === undefined ? {} : { superseded: request.superseded }),
      ...(request.event_types === undefined ? {} : { types: request.event_types }),
      ...(request.entity_type === undefined ? {} : { entityType: request.entity_type }),
      ...(request.entity_id === undefined ? {} : { entityId: request.entity_id }),
      ...(request.from === undefined ? {} : { from: request.from }),
      ...(request.to === undefined ? {} : { to: request.to }),
    })
    const items = found.slice(0, request.limit)
    const last = items.at(-1)
    return { items, next_cursor: found.length > items.length && last ? numberCursor('seq', last.seq) : null }
  },
})
