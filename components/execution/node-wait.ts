import type { NodeView } from '@/core/engine/view/view'
import { isExternal } from '@/core/pipeline/gate/event-type'
import type { CompiledNode } from '@/core/pipeline/definition/compile'

type Waiting = Pick<NodeView, 'status' | 'finished_at' | 'items' | 'waiting_for' | 'next_wake_at'>

/**
 * What a node waits for that no other part of its panel shows: an instant (ISO 8601) or a sentence. null: nothing. Gates, retries, lists,
 * children, attempts and decisions have parts of their own.
 */
export function waitOf(
  node: Waiting,
  compiled: Pick<CompiledNode, 'child'>,
): { readonly until: string } | { readonly text: string } | null {
  const { status, waiting_for: wait } = node
  if (node.finished_at !== null || status === 'pending' || status === 'retrying') return null
  if (node.items !== null || compiled.child !== null || wait === null) return null
  if (wait.kind === 'attempt' || wait.kind === 'worker' || wait.kind === 'people') return null
  return wait.kind === 'timer' && node.next_wake_at !== null
    ? { until: node.next_wake_at }
    : { text: wait.text }
}

/** The external events in the gate of a node that can still have an effect on it. */
export function awaitedEvents(
  { status, finished_at }: Pick<NodeView, 'status' | 'finished_at'>,
  { gateEvents }: Pick<CompiledNode, 'gateEvents'>,
): readonly string[] {
  if (finished_at !== null || (status !== 'pending' && status !== 'waiting')) return []
  return gateEvents.filter(isExternal)
}
