import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { itemsPool, SLOTS, sumOf, type Shortage } from '@/core/pipeline/definition/demand'
import type { AttemptState, ExecutionState, ItemsState } from '@/core/engine/state'
import type { StepContext } from './step-context'

/** Items at once where nothing is said: enough to fill every slot, few enough for one commit. */
export const MOST_AT_ONCE = 1_000

/** The pool that has no room for one more attempt of the node, or for `one` that holds its share already; null: it may start. */
export function attemptShortage(
  state: ExecutionState,
  compiled: CompiledNode,
  context: Pick<StepContext, 'shortage'>,
  one?: AttemptState,
): Shortage | null {
  const { demands } = compiled
  if (demands.length === 0) return null
  if (one === undefined) return context.shortage(demands, state.held)
  const without = new Map(state.held)
  for (const { pool, amount } of one.demands) without.set(pool, sumOf(without.get(pool) ?? 0, -amount))
  return context.shortage(demands, without)
}

/** What a `queued` says of the shortage: a slot needs no word. */
export const poolOf = (shortage: Shortage | null): { readonly pool?: string } =>
  shortage === null || shortage.pool === SLOTS ? {} : { pool: shortage.pool }

/** The same for one more item and the concurrency of its forEach, which is a pool of that node alone. */
export function itemShortage(compiled: CompiledNode, { running }: ItemsState): Shortage | null {
  const capacity = compiled.forEach?.concurrency ?? MOST_AT_ONCE
  return running < capacity
    ? null
    : { pool: itemsPool(compiled.id), reason: 'full', amount: 1, used: running, capacity }
}
