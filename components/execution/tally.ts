import { wasStopped } from '@/core/engine/reset'
import type { NodeView } from '@/core/engine/view'

type Told = Pick<NodeView, 'status' | 'finished_at' | 'handled' | 'skip_reason'>

/** What is told of all nodes of a run together. */
export type Tally = {
  readonly running: number
  /** Failed, and the run goes on all the same. */
  readonly handled: number
  /** Some failed or were stopped: they can be run again. */
  readonly stopped: boolean
  /** The node that failed first of those that make the run fail; of those that were handled only where there is no other. null: none failed. */
  readonly firstFailed: string | null
}

const tallies = new WeakMap<{ readonly [id: string]: Told }, Tally>()

/** Of the same nodes the same object: they are looked through once, however many parts of the page ask. */
export function tallyOf(nodes: { readonly [id: string]: Told }): Tally {
  let tally = tallies.get(nodes)
  if (tally === undefined) tallies.set(nodes, (tally = count(nodes)))
  return tally
}

function count(nodes: { readonly [id: string]: Told }): Tally {
  let [running, handled, stopped, failed] = [0, 0, false, false]
  for (const node of Object.values(nodes)) {
    if (node.status === 'completed' || node.status === 'pending') continue
    if (node.status === 'running') running += 1
    if (node.handled) handled += 1
    stopped ||= wasStopped(node.status, node.skip_reason)
    failed ||= node.status === 'failed'
  }
  return { running, handled, stopped, firstFailed: failed ? firstFailed(nodes) : null }
}

function firstFailed(nodes: { readonly [id: string]: Told }): string | null {
  const [first] = Object.entries(nodes)
    .filter(([, { status, finished_at }]) => status === 'failed' && finished_at !== null)
    .toSorted(
      ([, a], [, b]) => Number(a.handled) - Number(b.handled) || (a.finished_at! < b.finished_at! ? -1 : 1),
    )
  return first?.[0] ?? null
}
