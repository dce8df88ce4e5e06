import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** The latest event of a type; `not_found` while there is none. */
export const getEvent = operation({
  right: 'read',
  request: z.strictObject({ execution_id: idField, event_type: z.string().min(1).max(300) }),
  run: async (ctx, _caller, { execution_id, event_type }) => {
    await executionRow(ctx, execution_id)
    const event = await ctx.events.get(execution_id, event_type)
    if (!event) throw missing('event', event_type)
    return event
  },
})
