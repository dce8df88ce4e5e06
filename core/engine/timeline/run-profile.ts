import { criticalChain } from './chain'
import { isAttempt, type NodeIntervals } from './intervals'
import { elapsedMs } from '@/core/engine/instant'
import type { ExecutionState } from '@/core/engine/state'
import type { Timeline } from './timeline'
import type { NodeStatus } from '@/core/engine/view/view'

/** What became of a node in one run, and what it added to what decided how long the run took. Milliseconds. */
export type NodeProfile = {
  readonly status: NodeStatus
  readonly attempts: number
  /** From its start to its end; null where it did nothing in this run, or data stood in for it. */
  readonly duration: number | null
  /** Of the critical path: its work, the time that it had no slot, and that it waited. */
  readonly run: number
  readonly queue: number
  readonly wait: number
  /** Of a list that ended: how many items it had, and how long all of their attempts worked together. Absent in profiles of earlier versions. */
  readonly items?: { readonly total: number; readonly work: number }
}

/** Where the time of an ended run went: small enough to store for every run. Made of its journal and nothing else. */
export type RunProfile = { readonly nodes: { readonly [id: string]: NodeProfile } }

/** The profile of a run by both folds of its whole journal. */
export function profileOf(state: ExecutionState, timeline: Timeline): RunProfile {
  const onPath = new Map<string, { run: number; queue: number; wait: number }>()
  for (const { node, kind, from, to } of criticalChain(timeline, timeline.at)) {
    if (node === null || kind === 'gap') continue
    const sum = onPath.get(node) ?? { run: 0, queue: 0, wait: 0 }
    sum[kind] += to - from
    onPath.set(node, sum)
  }
  const nodes = [...state.nodes].map(([id, node]): [string, NodeProfile] => {
    const started = 'startedAt' in node ? node.startedAt : null
    const finished = 'finishedAt' in node ? node.finishedAt : null
    // What a fork took over happened in another run.
    const byHand = node.status === 'completed' && node.byHand !== null
    const isOwn = (timeline.nodes.get(id)?.spans.length ?? 0) > 0 && state.mocks[id] === undefined && !byHand
    return [
      id,
      {
        status: node.status,
        attempts: node.attempts,
        duration: isOwn && started !== null && finished !== null ? elapsedMs(started, finished) : null,
        ...(onPath.get(id) ?? { run: 0, queue: 0, wait: 0 }),
        ...(isOwn && node.items !== null
          ? { items: { total: node.items.total, work: workOf(timeline.nodes.get(id)!) } }
          : {}),
      },
    ]
  })
  return { nodes: Object.fromEntries(nodes) }
}

/** How long the attempts of its latest generation worked. */
function workOf({ all, generation }: NodeIntervals): number {
  const attempts = all.filter((interval) => isAttempt(interval) && interval.generation === generation)
  return attempts.reduce((sum, { from, to }) => sum + (to === null ? 0 : to - from), 0)
}

/** A node over several runs. Milliseconds. */
export type NodeHistory = {
  readonly id: string
  /** Middle of its durations where it completed (the lower of two); null: it never has. */
  readonly median: number | null
  /** In how many of the runs it was on the critical path, and what it added to all of these together. */
  readonly onPath: number
  readonly run: number
  readonly queue: number
  readonly wait: number
  /** Of a list: how many items it had, and how long one of them worked, in the middle of the runs where it completed (the lower of two). */
  readonly items: { readonly total: number; readonly each: number } | null
  /** By run, in the order of the runs; null: the revision of that run had no such node. */
  readonly cells: readonly (NodeProfile | null)[]
}

/** The nodes of several runs: first what added most to the critical paths, then what takes longest. */
export function historyOf(profiles: readonly RunProfile[]): NodeHistory[] {
  const ids = new Set(profiles.flatMap(({ nodes }) => Object.keys(nodes)))
  const all = [...ids].map((id): NodeHistory => {
    const cells = profiles.map(({ nodes }) => (Object.hasOwn(nodes, id) ? nodes[id]! : null))
    const sum = (kind: 'run' | 'queue' | 'wait') =>
      cells.reduce((total, cell) => total + (cell?.[kind] ?? 0), 0)
    const durations = cells.flatMap((cell) =>
      cell?.status === 'completed' && cell.duration !== null ? [cell.duration] : [],
    )
    return {
      id,
      median: middleOf(durations),
      items: itemsOf(cells),
      onPath: cells.filter((cell) => cell !== null && timeOnPath(cell) > 0).length,
      run: sum('run'),
      queue: sum('queue'),
      wait: sum('wait'),
      cells,
    }
  })
  return all.sort(
    (a, b) => timeOnPath(b) - timeOnPath(a) || (b.median ?? -1) - (a.median ?? -1) || (a.id < b.id ? -1 : 1),
  )
}

const middleOf = (numbers: readonly number[]): number | null =>
  numbers.toSorted((a, b) => a - b)[(numbers.length - 1) >> 1] ?? null

function itemsOf(cells: readonly (NodeProfile | null)[]): NodeHistory['items'] {
  const lists = cells.flatMap((cell) => (cell?.status === 'completed' && cell.items ? [cell.items] : []))
  const total = middleOf(lists.map((items) => items.total))
  const each = middleOf(lists.flatMap((items) => (items.total > 0 ? [items.work / items.total] : [])))
  return total === null ? null : { total, each: each ?? 0 }
}

const timeOnPath = ({ run, queue, wait }: Pick<NodeProfile, 'run' | 'queue' | 'wait'>): number =>
  run + queue + wait
