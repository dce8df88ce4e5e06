import type { ExecutionRow } from '@/server/ports/journal'
import type { OperationContext } from './context'
import { missing } from './refusal'

/** The registry row of an execution. Stores are never asked about an execution that the registry does not know. */
export async function executionRow(ctx: OperationContext, executionId: string): Promise<ExecutionRow> {
  const row = await ctx.executions.get(executionId)
  if (!row) throw missing('execution', executionId)
  return row
}
