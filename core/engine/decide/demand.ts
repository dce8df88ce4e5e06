import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { itemsPool, type Shortage } from '@/core/pipeline/definition/demand'
import type { ExecutionState, ItemsState } from '@/core/engine/state'
import type { StepContext } from './step-context'

/** Items at once where nothing is said: enough to fill every slot, few enough for one commit. */
export const MOST_AT_ONCE = 1_000

/** The pool that has no room for one more attempt of the node; null: it may start. */
export function attemptShortage(
  state: ExecutionState,
  compiled: CompiledNode,
  context: Pick<StepContext, 'shortage'>,
): Shortage | null {
  const { demands } = compiled.contract
  return demands.length === 0 ? null : context.shortage(demands, state.held)
}

/** The same for one more item and the concurrency of its forEach, which is a pool of that node alone. */
export function itemShortage(compiled: CompiledNode, { running }: ItemsState): Shortage | null {
  const capacity = compiled.forEach?.concurrency ?? MOST_AT_ONCE
  return running < capacity
    ? null
    : { pool: itemsPool(compiled.id), reason: 'full', amount: 1, used: running, capacity }
}
