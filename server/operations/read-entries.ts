import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'
import { entry, exampleEvent } from './schemas/event'
import { count } from './schemas/json'

/** Entries (events with their variable writes) after a seq, in order: what a reader folds into the state of a run. */
export const readEntries = operation({
  kind: 'query',
  summary: 'List entries: events with their variable writes',
  right: 'read',
  rest: { method: 'GET', path: '/executions/:execution_id/entries' },
  request: z.strictObject({
    execution_id: idField,
    after: z.int().min(0).default(0),
    limit: z.int().min(1).max(2_000).default(1_000),
  }),
  answer: z.strictObject({
    pipeline_id: z.string(),
    revision: z.int().min(1),
    entries: z.array(entry),
    last_seq: count,
    more: z.boolean(),
    closed: z.boolean(),
  }),
  errors: ['not_found', 'set_apart'],
  example: {
    request: { execution_id: '01JDW3Q8', after: 0 },
    answer: {
      pipeline_id: 'seattle_weather',
      revision: 3,
      entries: [{ event: exampleEvent, variables: [] }],
      last_seq: 1,
      more: false,
      closed: false,
    },
  },
  run: async (ctx, _caller, { execution_id, after, limit }) => {
    const row = await executionRow(ctx, execution_id)
    const entries = await ctx.journal.read(execution_id, { after, limit })
    const last = entries.at(-1)?.event.seq ?? after
    return {
      pipeline_id: row.pipelineId,
      revision: row.revision,
      entries,
      last_seq: last,
      more: entries.length === limit,
      closed: row.closedAt !== null,
    }
  },
})
