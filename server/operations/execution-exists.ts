import type { ExecutionRow } from '@/server/ports/journal'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'
import { missing } from './refusal'

/** The registry row of an execution. Stores are never asked about an execution that the registry does not know. */
export async function executionRow(ctx: OperationContext, executionId: string): Promise<ExecutionRow> {
  const row = await ctx.executions.get(executionId)
  if (!row) throw missing('execution', executionId)
  return row
}

/** A run that was set apart cannot be folded, so there is no state to show; its events and its row can be read [T15]. */
export function demandNotSetApart(ctx: OperationContext, executionId: string): void {
  const reason = ctx.orchestrator.setApart(executionId)
  if (reason !== null) throw new DomainError('set_apart', reason)
}
