import { parseInstant } from '@/core/engine/instant'
import type { ExecutionState, ItemsState, NodeState } from '@/core/engine/state'
import { isTerminal, nodeOf } from '@/core/engine/state'
import { markGatesDirty } from './wide-gates'

/** Sets a node's next state and updates the counts of open and active nodes. */
export function setNode(state: ExecutionState, id: string, after: NodeState): void {
  const before = nodeOf(state, id)
  if (after === before) return
  state.nodes.set(id, after)
  state.active += Number(isActive(after)) - Number(isActive(before))
  const ended = Number(isTerminal(after.status)) - Number(isTerminal(before.status))
  if (state.pipeline.nodes.get(id)?.finally) state.openFinally -= ended
  else state.open -= ended
  if (!isTerminal(after.status)) return
  // The node can emit nothing more: the gates that wait for one of its events are evaluated again.
  if (ended === 0) throw new Error(`invariant: '${id}' ends and had ended`)
  for (const kind of ['start', 'approval', 'retry'] as const) state.timers.disarm(kind, id)
  for (const item of after.items?.retries.keys() ?? []) state.timers.disarm('retry', id, item)
  markGatesDirty(state, state.pipeline.gateDependents.get(id), id)
}

/** Does the node move by itself, without people or external events? */
function isActive(node: NodeState): boolean {
  if (node.status === 'waiting') return node.approval === null
  return node.status === 'queued' || node.status === 'running' || node.status === 'retrying'
}

/** Updates the progress of a forEach; another item may start then, or the last one has ended. */
export function updateItems(
  state: ExecutionState,
  id: string,
  change: (items: ItemsState) => ItemsState,
): void {
  const node = nodeOf(state, id)
  if (node.items === null) throw new Error(`invariant: '${id}' has no items`)
  state.nodes.set(id, { ...node, items: change(node.items) })
  state.dirty.add(id)
}

/** Arms the deadline of the run where the payload carries one. */
export function armRun(state: ExecutionState, payload: { readonly timeout_at?: string }): void {
  const dueAt = instantOf(payload.timeout_at)
  if (dueAt !== null) state.timers.arm({ kind: 'run', node: '', item: null, dueAt })
}

/** An instant of a payload in milliseconds; null where there is none. */
export function instantOf(value: string | null | undefined): number | null {
  return value == null ? null : parseInstant(value)
}
