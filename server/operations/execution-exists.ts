import type { ExecutionState } from '@/core/engine/state'
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

/**
 * The state of a run as everybody may read it. A run that was set apart cannot be folded, so there is no state to show; its events
 * and its row can be read [T15].
 * @throws DomainError `not_found`, `set_apart`
 */
export async function stateOf(ctx: OperationContext, executionId: string): Promise<ExecutionState> {
  const demandNotSetApart = () => {
    const reason = ctx.runs.setApart(executionId)
    if (reason !== null) throw new DomainError('set_apart', reason)
  }
  demandNotSetApart()
  const state = await ctx.runs.state(executionId).catch((error: unknown) => {
    // It may have been this very question that found out.
    demandNotSetApart()
    throw error
  })
  if (state === null) throw missing('execution', executionId)
  return state
}
