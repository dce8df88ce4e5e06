import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { itemsPool, type Lack } from '@/core/pipeline/definition/demand'
import type { ExecutionState, ItemsState } from '@/core/engine/state'
import type { StepContext } from './step-context'

/** Items at once where nothing is said: enough to fill every slot, few enough for one commit. */
export const MOST_AT_ONCE = 1_000

/** What one more attempt of the node lacks of the pools, or null: it may start. */
export function lackOfAttempt(
  state: ExecutionState,
  compiled: CompiledNode,
  context: Pick<StepContext, 'lack'>,
): Lack | null {
  const { demands } = compiled.contract
  return demands.length === 0 ? null : context.lack(demands, state.held)
}

/** What one more item lacks of the concurrency of its forEach, a pool of the node alone; null: it may start. */
export function lackOfItem(compiled: CompiledNode, { running }: ItemsState): Lack | null {
  const capacity = compiled.forEach?.concurrency ?? MOST_AT_ONCE
  return running < capacity
    ? null
    : { pool: itemsPool(compiled.id), reason: 'full', amount: 1, used: running, capacity }
}
