import type { NodeView } from '@/core/engine/view'

type Failing = Pick<NodeView, 'status' | 'finished_at' | 'handled'>

/** The node that failed first of those that make the run fail; of those that were handled only where there is no other. null: none failed. */
export function firstFailed(nodes: { readonly [id: string]: Failing }): string | null {
  const [first] = Object.entries(nodes)
    .filter(([, { status, finished_at }]) => status === 'failed' && finished_at !== null)
    .toSorted(
      ([, a], [, b]) => Number(a.handled) - Number(b.handled) || (a.finished_at! < b.finished_at! ? -1 : 1),
    )
  return first?.[0] ?? null
}
