import { wasStopped } from '@/core/engine/decide/reset'
import { rejectedBy } from '@/core/engine/rejection'
import type { NodeView } from '@/core/engine/view/view'

type CountedNode = Pick<
  NodeView,
  | 'status'
  | 'finished_at'
  | 'handled'
  | 'handled_below'
  | 'error'
  | 'items'
  | 'skip_reason'
  | 'waiting_for'
  | 'next_wake_at'
>

/** A node that continues by itself at `at` (ISO 8601). `again`: by another attempt. */
export type TimedWait = { readonly node: string; readonly again: boolean; readonly at: string }

/** What the header says of all nodes of a run together. */
export type Tally = {
  readonly running: number
  readonly skipped: number
  readonly cancelled: number
  /** Approvals to which people said no, and nobody deals with that: they are counted as failed too. */
  readonly rejected: number
  /** Nodes that failed although the run goes on. */
  readonly handled: number
  /** Nodes whose failure does not fail the run, also of some items or of a run below; in order of their ends. */
  readonly handledNodes: readonly string[]
  /** Some nodes failed or were stopped: they can be rerun. */
  readonly stopped: boolean
  /** The first failed node. One whose failure was handled counts only where there is no other. null: none failed. */
  readonly firstFailed: string | null
  /** The next node to continue, where the run waits for nothing but time; else null. */
  readonly timedWait: TimedWait | null
  /** Why a node waits for a slot, in words; null: none waits for one. */
  readonly slotWait: string | null
}

const tallies = new WeakMap<{ readonly [id: string]: CountedNode }, Tally>()

/** Memoized by `nodes`: they are counted once, however many parts of the page need the result. */
export function tallyOf(nodes: { readonly [id: string]: CountedNode }): Tally {
  let tally = tallies.get(nodes)
  if (tally === undefined) tallies.set(nodes, (tally = count(nodes)))
  return tally
}

function count(nodes: { readonly [id: string]: CountedNode }): Tally {
  const all = Object.values(nodes)
  let [running, skipped, cancelled, handled, rejected, stopped, failed] = [0, 0, 0, 0, 0, false, false]
  let slotWait: string | null = null
  let next: CountedNode | null = null
  let isTimed = true
  for (const node of all) {
    const { status, waiting_for: waits, next_wake_at: at } = node
    if (waits !== null && waits.kind !== 'nodes') {
      if (waits.kind === 'slot') slotWait ??= waits.text
      if (waits.kind !== 'timer' || at === null) isTimed = false
      else if (next === null || at < next.next_wake_at!) next = node
    }
    if (status === 'completed' || status === 'pending') continue
    if (status === 'running') running += 1
    if (status === 'skipped') skipped += 1
    if (status === 'cancelled') cancelled += 1
    if (node.handled) handled += 1
    else if (status === 'failed' && rejectedBy(node.error) !== null) rejected += 1
    stopped ||= wasStopped(status, node.skip_reason)
    failed ||= status === 'failed'
  }
  const timedWait =
    !isTimed || next === null
      ? null
      : {
          node: Object.keys(nodes)[all.indexOf(next)]!,
          again: next.status === 'retrying',
          at: next.next_wake_at!,
        }
  return {
    running,
    skipped,
    cancelled,
    handled,
    rejected,
    stopped,
    handledNodes: handledNodes(nodes),
    firstFailed: failed ? firstFailed(nodes) : null,
    timedWait,
    slotWait,
  }
}

function handledNodes(nodes: { readonly [id: string]: CountedNode }): readonly string[] {
  return Object.entries(nodes)
    .filter(
      ([, { status, handled, handled_below, items }]) =>
        handled || (status === 'completed' && (handled_below || (items?.failed ?? 0) > 0)),
    )
    .toSorted(([, a], [, b]) => ((a.finished_at ?? '') < (b.finished_at ?? '') ? -1 : 1))
    .map(([id]) => id)
}

function firstFailed(nodes: { readonly [id: string]: CountedNode }): string | null {
  const [first] = Object.entries(nodes)
    .filter(([, { status, finished_at }]) => status === 'failed' && finished_at !== null)
    .toSorted(
      ([, a], [, b]) => Number(a.handled) - Number(b.handled) || (a.finished_at! < b.finished_at! ? -1 : 1),
    )
  return first?.[0] ?? null
}
