import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { attemptShortage, itemShortage } from './demand'
import { boundedError } from './bounded-error'
import type { Json, JsonObject, VariableWrite } from '@/core/engine/event'
import type { Fact } from './fact'
import { nodeFact } from './fact'
import { elapsedMs } from '@/core/engine/instant'
import { itemVariable } from './item-variable'
import { lostContent, sizeOf, valueOf, variableWrite } from '@/core/engine/large-values'
import { lightOutputs } from './light-outputs'
import { startAttempt } from './start-attempt'
import type { ExecutionState, ItemsState, NodeState } from '@/core/engine/state'
import type { StepContext } from './step-context'

type Running = NodeState & { status: 'running' }

/** The next thing that a forEach does: start an item, or end when every item has ended. */
export function propagateItems(
  state: ExecutionState,
  compiled: CompiledNode,
  node: Running & { items: ItemsState },
  context: StepContext,
): readonly Fact[] {
  const { items } = node
  const stopping = state.cancelling !== null && !compiled.finally
  // An item that may fail is no failure of the run: the others are still wanted.
  const failing =
    state.pipeline.failFast && items.errors.length > 0 && compiled.forEach?.allowFailures !== true
  const left = stopping || failing ? 0 : items.queued.length + items.total - items.next
  if (left > 0) {
    if (state.paused || itemShortage(compiled, items) !== null) return []
    if (attemptShortage(state, compiled, context) !== null) {
      state.awaitingSlot.add(compiled.id)
      return []
    }
    return startNextItem(state, compiled, node, context)
  }
  if (items.running + (stopping || failing ? 0 : items.retries.size) > 0) return []
  if (!stopping) return endOfItems(state, compiled, node, context.now)
  const reason = state.cancelling?.reason ?? null
  return [nodeFact({ node: compiled.id, generation: node.generation }, 'cancelled', { reason })]
}

/** Items whose next try is due come before those that were never started. */
export function startNextItem(
  state: ExecutionState,
  compiled: CompiledNode,
  node: Running & { items: ItemsState },
  context: StepContext,
): readonly Fact[] {
  const again = node.items.queued[0]
  const { item, attempt } = again ?? { item: node.items.next, attempt: 1 }
  return startAttempt(state, compiled, { item, attempt }, context)
}

function endOfItems(
  state: ExecutionState,
  compiled: CompiledNode,
  node: Running & { items: ItemsState },
  now: number,
): readonly Fact[] {
  const { id } = compiled
  const { items, generation } = node
  const [first] = items.errors
  if (first !== undefined && !compiled.forEach?.allowFailures) {
    const more = items.errors.length === 1 ? '' : ` (and ${items.errors.length - 1} more)`
    const error = boundedError({
      ...first.error,
      message: `item ${first.item}: ${first.error.message}${more}`,
    })
    return [nodeFact({ node: id, generation }, 'failed', { error, attempts: node.attempts })]
  }
  const fail = (kind: string, message: string) => [
    nodeFact({ node: id, generation }, 'failed', { error: { kind, message }, attempts: node.attempts }),
  ]
  const gathered = gather(state, compiled, items)
  if ('lost' in gathered) return fail('variable_not_found', gathered.lost)
  const { outputs } = gathered
  const variables: VariableWrite[] = []
  for (const [name, value] of Object.entries(outputs)) {
    const { bytes, inline } = sizeOf(state.values, value)
    if (bytes > state.values.mostBytes) {
      const message = `output '${name}' of ${items.total} items is larger than ${state.values.mostBytes} bytes; write it to artifacts and hand those on`
      return fail('output_too_large', message)
    }
    variables.push(variableWrite(state.values, { name: `${id}.${name}`, node: id, value, inline }))
  }
  const payload = { duration_ms: elapsedMs(node.startedAt, now), ...lightOutputs(outputs, id) }
  return [nodeFact({ node: id, generation }, 'completed', payload, { variables })]
}

/** Lists in the order of the items; null where an item failed or left nothing. */
function gather(
  state: ExecutionState,
  compiled: CompiledNode,
  items: ItemsState,
): { readonly outputs: JsonObject } | { readonly lost: string } {
  const names = new Set(compiled.outputNames.filter((name) => name !== 'item_errors'))
  const outputs: Record<string, Json> = {}
  if (names.size === 0) {
    for (const name of state.subOutputs.get(compiled.child ?? '') ?? []) names.add(name)
    // Of a run of an earlier version a child's outputs are known only from what its items left behind.
    const prefix = `${compiled.id}/`
    for (const name of state.variables.keys())
      if (name.startsWith(prefix)) names.add(name.slice(name.indexOf('.') + 1))
  }
  for (const name of names) {
    const list: Json[] = []
    for (let item = 0; item < items.total; item += 1) {
      const variable = state.variables.get(itemVariable(compiled.id, item, name))
      const value = variable === undefined ? null : valueOf(state.values, variable)
      if (value === undefined)
        return { lost: `output '${name}' of item ${item}: ${lostContent(variable!.ref!)}` }
      list.push(value)
    }
    outputs[name] = list
  }
  if (compiled.forEach?.allowFailures) {
    outputs['item_errors'] = items.errors
      .toSorted((a, b) => a.item - b.item)
      .map(({ item, error }) => ({ index: item, ...error }) as Json)
  }
  return { outputs }
}
