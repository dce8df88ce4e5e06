import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Entry } from '@/core/engine/event'
import type { EngineInput } from '@/core/engine/input'
import type { ExecutionState } from '@/core/engine/state'
import type { Admission } from './admission'

/** Events of a node after which it does not wait for a slot any more. */
const LEAVES = new Set(['started', 'skipped', 'cancelled', 'reset', 'completed', 'failed'])

/**
 * What a step of an execution that holds `before` slots may ask of admission. Who was admitted takes the one slot that it
 * was given, past those who wait.
 */
export function admitsFor(
  admission: Admission,
  input: EngineInput,
  before: number,
): (held: number) => boolean {
  return input.type === 'admit'
    ? (held) => held <= before && admission.hasRoom(before, held)
    : (held) => admission.admits(before, held)
}

/**
 * Tells admission what a step came to: slots taken and given back, who waits no more, and who would start something had it
 * a slot. Empties `state.hungry`. `before`: the slots that the execution held; `now` in milliseconds since the epoch.
 */
export function settleSlots(
  admission: Admission,
  state: ExecutionState,
  before: number,
  entries: readonly Entry[],
  now: number,
): void {
  const { executionId } = state
  admission.settle(before, state.slots)
  for (const { event } of entries) {
    if (event.item !== undefined) continue
    const { level, node, word } = eventTypeOf(event.type)
    if (level === 'node' && LEAVES.has(word)) admission.leave(executionId, node)
  }
  // After those that left: a node that has started may wait for its next item.
  for (const nodeId of state.hungry) {
    const node = state.nodes.get(nodeId)!
    const priority = state.priority + state.pipeline.nodes.get(nodeId)!.priority
    const queuedAt = node.status === 'queued' ? node.since : now
    admission.wait({ executionId, nodeId, priority, queuedAt })
  }
  state.hungry.clear()
}
