import { snapshotOf } from '@/core/engine/decide/fork'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import type { ExecutionState } from '@/core/engine/state'

/** The nodes whose results a fork of this state reuses, and those that it runs. Pure. */
export function forkPreview(
  state: ExecutionState,
  newInputs: boolean,
): { readonly reused: readonly string[]; readonly again: readonly string[] } {
  const { variables } = snapshotOf(state, state.pipeline, { newInputs })
  const carried = new Set(variables.flatMap(({ name }) => nodeOfSnapshot(name) ?? []))
  const ids = [...state.nodes.keys()]
  return { reused: ids.filter((id) => carried.has(id)), again: ids.filter((id) => !carried.has(id)) }
}
