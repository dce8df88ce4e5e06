import { snapshotOf } from '@/core/engine/decide/fork'
import { stoppedNodes } from '@/core/engine/decide/reset'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import type { Rerun } from '@/core/engine/input'
import type { ExecutionState } from '@/core/engine/state'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'

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

/** The last event before the first of these nodes did anything: a fork from it runs all of them. Pure. */
export function forkPointBefore(state: ExecutionState, asked: Rerun): number {
  const nodes = new Set(asked === 'failed' ? stoppedNodes(state) : asked)
  let first = state.seq + 1
  for (const [type, seq] of state.events) {
    const { level, node } = eventTypeOf(type)
    if ((level === 'node' || level === 'task') && nodes.has(node)) first = Math.min(first, seq)
  }
  return Math.max(1, first - 1)
}
