import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { ExecutionState } from '@/core/engine/state'

/** The node whose failure an event type means (`x.failed`, `x.rejected`, `x.timeout`), or null. */
export function failureNamedBy(type: string): string | null {
  const { level, node, word } = eventTypeOf(type)
  return level === 'node' && (word === 'failed' || word === 'rejected' || word === 'timeout') ? node : null
}

/** The failures whose events opened the gate are handled by the node that starts. */
export function noteHandled(state: ExecutionState, id: string, gateEvents: readonly string[]): void {
  for (const type of gateEvents) {
    const failed = failureNamedBy(type)
    if (failed === null || failed === id) continue
    const handlers = state.handlers.get(failed)
    if (handlers === undefined) state.handlers.set(failed, [id])
    else handlers.push(id)
  }
}

/** A reset node handles nothing, and nothing handles a failure of it that does not count any more. */
export function forgetHandled(state: ExecutionState, id: string): void {
  state.handlers.delete(id)
  state.handledBelow.delete(id)
  state.byHandBelow.delete(id)
  for (const type of state.pipeline.nodes.get(id)?.gateEvents ?? []) {
    const failed = failureNamedBy(type)
    const handlers = failed === null ? undefined : state.handlers.get(failed)
    if (failed === null || handlers === undefined) continue
    const others = handlers.filter((handler) => handler !== id)
    if (others.length === 0) state.handlers.delete(failed)
    else state.handlers.set(failed, others)
  }
}

/** A final failure: the first that is not allowed decides whether a `failFast` run still starts anything. */
export function noteFailure(state: ExecutionState, id: string): void {
  if (!failsTheRun(state, id) || state.firstFailure !== null) return
  state.firstFailure = id
  if (state.pipeline.failFast) for (const other of state.nodes.keys()) state.dirty.add(other)
}

/** The failure of a reset node does not count any more: the next one by seq is the first now. */
export function forgetFailure(state: ExecutionState, id: string): void {
  if (state.firstFailure !== id) return
  state.firstFailure = null
  let first = Infinity
  for (const [other, node] of state.nodes) {
    if (node.status !== 'failed' || !failsTheRun(state, other)) continue
    const seq = state.events.get(`${other}.failed`) ?? Infinity
    if (seq >= first) continue
    first = seq
    state.firstFailure = other
  }
}

/**
 * Nodes of the run that failed, or that completed with failed items or by a run with handled failures. Of a run that completes each of these failures was handled or
 * allowed. Finally nodes are no part of the outcome: they only warn.
 */
export function countFailures(state: ExecutionState): number {
  let failures = 0
  for (const [id, node] of state.nodes) {
    if (state.pipeline.nodes.get(id)?.finally) continue
    const inParts = node.status === 'completed' && (hasFailedItems(state, id) || state.handledBelow.has(id))
    if (node.status === 'failed' || inParts) failures += 1
  }
  return failures
}

/** By its output, which a fork takes over where it does not know the items. */
function hasFailedItems(state: ExecutionState, id: string): boolean {
  const errors = state.variables.get(`${id}.item_errors`)
  if (errors === undefined || state.pipeline.nodes.get(id)?.forEach == null) return false
  return errors.ref !== undefined || (Array.isArray(errors.value) && errors.value.length > 0)
}

function failsTheRun(state: ExecutionState, id: string): boolean {
  const compiled = state.pipeline.nodes.get(id)
  return compiled !== undefined && !compiled.finally && !compiled.allowFailure
}
