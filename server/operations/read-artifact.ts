import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** The row of an artifact and the way to its content (or a part of it). The id counts only within its own execution. */
export const readArtifact = operation({
  right: 'read',
  request: z.strictObject({ execution_id: idField, artifact_id: idField }),
  run: async (ctx, _caller, { execution_id, artifact_id }) => {
    const row = await ctx.artifacts.get(execution_id, artifact_id)
    if (!row) throw missing('artifact', artifact_id)
    return { row, open: (range?: { start: number; end: number }) => ctx.artifacts.open(row, range) }
  },
})
