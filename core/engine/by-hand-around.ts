import { ancestorsOf } from './decide/reset'
import type { ExecutionState } from './state'

/** More than these are not named: who decides looks at the runs. */
const MOST = 100

/** A node of another run, above or below: `PIPELINE/NODE`. */
const elsewhere = (state: ExecutionState, id: string): string => `${state.pipeline.definition.id}/${id}`

/**
 * Nodes that people completed and on which this one may rest: those before it, at any distance, by their ids; those of the runs above and
 * of the runs that nodes before it started, as `PIPELINE/NODE`.
 */
export function byHandBefore(state: ExecutionState, id: string): string[] {
  const before = ancestorsOf(state.pipeline, [id])
  const found = [...state.byHandAbove]
  for (const [other, node] of state.nodes) {
    if (!before.has(other) || other === id) continue
    if (node.status === 'completed' && node.byHand !== null) found.push(other)
    found.push(...(state.byHandBelow.get(other) ?? []))
  }
  return [...new Set(found)].slice(0, MOST)
}

/** The same for the run that works for a node. */
export const byHandAbove = (state: ExecutionState, node: string): string[] =>
  byHandBefore(state, node).map((one) => (state.nodes.has(one) ? elsewhere(state, one) : one))

/** Nodes that people completed in a run and below it, for the run above. */
export function byHandIn(state: ExecutionState): string[] {
  const own = [...state.nodes].flatMap(([id, node]) =>
    node.status === 'completed' && node.byHand !== null ? [elsewhere(state, id)] : [],
  )
  return [...new Set([...own, ...[...state.byHandBelow.values()].flat()])].slice(0, MOST)
}
