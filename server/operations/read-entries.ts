import { z } from 'zod'
import { executionRow } from './execution-exists'
import { operation } from './operation'
import { idField } from './request-fields'

/** Entries (events with their variable writes) after a seq, in order: what a reader folds into the state of a run. */
export const readEntries = operation({
  right: 'read',
  request: z.strictObject({
    execution_id: idField,
    after: z.int().min(0).default(0),
    limit: z.int().min(1).max(2_000).default(1_000),
  }),
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
