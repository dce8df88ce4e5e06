import type { Adjacency } from './graph'

/** The duration of a node that declares none and has no history: one second. */
export const defaultEstimateMs = 1_000

/**
 * How long a graph without cycles takes before any run where nothing lacks a place (H-4), and one longest chain of its nodes. `levels`
 * are Kahn's; durations are milliseconds.
 */
export function longestPath(
  levels: readonly (readonly string[])[],
  { predecessors }: Pick<Adjacency, 'predecessors'>,
  durations: ReadonlyMap<string, number>,
): { readonly total: number; readonly path: string[] } {
  const order = levels.flat()
  const finishes = new Map<string, number>()
  const finish = (id: string) => finishes.get(id) ?? 0
  const latest = (ids: readonly string[]) =>
    ids.reduce<string | undefined>(
      (best, id) => (best === undefined || finish(id) > finish(best) ? id : best),
      undefined,
    )
  let total = 0
  for (const id of order) {
    const before = latest(predecessors.get(id) ?? [])
    const end = (before === undefined ? 0 : finish(before)) + (durations.get(id) ?? defaultEstimateMs)
    finishes.set(id, end)
    total = Math.max(total, end)
  }
  const path: string[] = []
  // Of several that end last the one deepest in the graph, so that a last node of weight 0 still ends the path.
  let at = order.findLast((id) => finish(id) === total)
  while (at !== undefined) {
    path.push(at)
    at = latest(predecessors.get(at) ?? [])
  }
  return { total, path: path.reverse() }
}
