import { expectedOutputs } from '@/core/engine/decide/by-hand'
import type { SubPipelines } from '@/core/engine/decide/gate-below'
import { itemsOf } from '@/core/engine/decide/scope'
import type { JsonObject } from '@/core/engine/event'
import type { ExecutionState } from '@/core/engine/state'

/** Outputs with which a person may complete a node by hand: of a list one value for each item. */
export function byHandOutputs(state: ExecutionState, node: string, subPipelines?: SubPipelines): JsonObject {
  const compiled = state.pipeline.nodes.get(node)!
  const list = compiled.forEach === null ? null : itemsOf(state, compiled)
  const values = list?.ok === true ? list.items.map(() => null) : []
  return Object.fromEntries(
    [...expectedOutputs(compiled, subPipelines)].map(([name, type]) => [
      name,
      list !== null ? (name === 'item_errors' ? [] : values) : type === 'any' ? 1 : null,
    ]),
  )
}
