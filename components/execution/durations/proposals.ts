import type { PipelineDurations } from '@/components/api'

export type Savings = NonNullable<PipelineDurations['savings']>

/** One way to make runs shorter. Milliseconds. */
export type Proposal = { readonly key: string; readonly saving: number } & (
  | {
      readonly kind: 'nodes'
      /** The first of them, where there are many. */
      readonly nodes: readonly string[]
      readonly count: number
      readonly work: number
      readonly alone: { readonly node_id: string; readonly saving_ms: number } | null
    }
  | {
      readonly kind: 'places'
      readonly pool: string
      readonly amount: number
      readonly enough: number
      readonly enoughSaving: number
    }
)

/** Nodes and more slots in one order: what saves most comes first. Of two pools only the one that helps: the other is not what work waits for. */
export function proposalsOf({ nodes, places }: Savings): readonly Proposal[] {
  const all: Proposal[] = nodes.map(
    ({ node_ids: ids, nodes_total: count, saving_ms: saving, work_ms, alone }) => ({
      kind: 'nodes',
      key: ids[0] ?? '',
      nodes: ids,
      count,
      saving,
      work: work_ms,
      alone,
    }),
  )
  for (const { pool, amount, twice_saving_ms: saving, enough, enough_saving_ms: enoughSaving } of places)
    if (saving > 0)
      all.push({ kind: 'places', key: `pool ${pool}`, pool, amount, saving, enough, enoughSaving })
  return all.sort((a, b) => b.saving - a.saving)
}
