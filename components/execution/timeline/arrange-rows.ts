import type { NodeIntervals } from '@/core/engine/timeline/intervals'
import type { Timeline } from '@/core/engine/timeline/timeline'
import type { NodeStatus } from '@/core/engine/view/view'

/** The orders of the rows of a timeline. */
export const ORDERS = [
  { value: 'graph', text: 'Order of the graph' },
  { value: 'start', text: 'First started first' },
  { value: 'work', text: 'Longest work first' },
  { value: 'wait', text: 'Longest wait first' },
  { value: 'name', text: 'By name' },
] as const

export type Order = (typeof ORDERS)[number]['value']

export const SHOWN = [
  { value: 'all', text: 'All nodes', statuses: null },
  { value: 'failed', text: 'Failed or rejected', statuses: ['failed'] },
  { value: 'active', text: 'Running or waiting', statuses: ['running', 'waiting', 'queued', 'retrying'] },
  { value: 'completed', text: 'Completed', statuses: ['completed'] },
  { value: 'critical', text: 'Critical path', statuses: null },
] as const satisfies readonly { value: string; text: string; statuses: readonly NodeStatus[] | null }[]

/** What is asked of a timeline, how many nodes it comes to (null: all of them), and what asks otherwise. */
export type Arranged = {
  readonly arrangement: Arrangement
  readonly found: number | null
  readonly onArrange: (arrangement: Arrangement) => void
}

export type Arrangement = {
  readonly text: string
  readonly shown: (typeof SHOWN)[number]['value']
  readonly order: Order
}

export const AS_DRAWN: Arrangement = { text: '', shown: 'all', order: 'graph' }

/**
 * The nodes of a timeline that are shown, in their order. `statuses`: of the instant that is shown; `critical`: the nodes of the critical
 * path; `end`: until when what goes on has lasted.
 */
export function arrangeNodes(
  { pipeline, nodes }: Timeline,
  { text, shown, order }: Arrangement,
  by: {
    readonly statuses: { readonly [id: string]: { readonly status: NodeStatus } }
    readonly critical: ReadonlySet<string>
    readonly end: number
  },
): readonly string[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const wanted = SHOWN.find(({ value }) => value === shown)?.statuses ?? null
  const found = pipeline.levels.flat().filter((id) => {
    const node = pipeline.nodes.get(id)
    if (node === undefined || !nodes.has(id)) return false
    const status = by.statuses[id]?.status
    if (wanted !== null && !wanted.some((each) => each === status)) return false
    if (shown === 'critical' && !by.critical.has(id)) return false
    const { name = '', task = '', pipeline: child = '' } = node.definition
    const described = `${id} ${name} ${task} ${child}`.toLowerCase()
    return words.every((word) => described.includes(word))
  })
  if (order === 'graph') return found
  const keyed = found.map((id) => ({ id, key: keyOf(nodes.get(id)!, order, by.end) }))
  const nameOf = (id: string) => pipeline.nodes.get(id)?.definition.name ?? id
  if (order === 'name') return found.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
  return keyed.toSorted((a, b) => a.key - b.key).map(({ id }) => id)
}

/** The smaller, the earlier in the list. */
function keyOf({ byItem }: NodeIntervals, order: Exclude<Order, 'graph'>, end: number): number {
  let [first, work, wait] = [Infinity, 0, 0]
  for (const intervals of byItem.values())
    for (const { kind, from, to } of intervals) {
      first = Math.min(first, from)
      const ms = (to ?? end) - from
      if (kind === 'running') work += ms
      else wait += ms
    }
  return order === 'start' ? first : -(order === 'work' ? work : wait)
}
