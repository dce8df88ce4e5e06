import type TinyQueue from 'tinyqueue'
import type { Demand } from '@/core/pipeline/definition/demand'
import { turnOf } from './rank'

/** Somebody who waits until all of its demands fit at once. */
export type PoolRequest<T> = {
  /** Unique among those who wait. */
  readonly key: string
  /** Who would hold it: what one owner holds already counts against it, and its own requests stand in one order. */
  readonly owner: string
  readonly demands: readonly Demand[]
  /** More is sooner. */
  readonly priority: number
  /** Since when it waits, in milliseconds. */
  readonly since: number
  /** Among requests of one owner and priority more is sooner: how much of the run waits for it. */
  readonly weight: number
  readonly subject: T
}

export type Waiting<T> = {
  readonly request: PoolRequest<T>
  readonly order: number
  readonly group: Group<T>
  /** How often it was the first of a pool that had room, and another pool was full. */
  turnedAway: number
}

/** Requests of one owner that demand the same, in the order of the owner. */
export type Group<T> = {
  readonly owner: Owner<T>
  readonly line: Line<T>
  readonly heap: TinyQueue<Waiting<T>>
  size: number
  /** Since when somebody of it waits. */
  since: number
  /** Its place in the line; null: it has none. Every other entry of it is stale. */
  entry: GroupEntry<T> | null
}

/** `turn`: less is sooner. */
export type GroupEntry<T> = { readonly group: Group<T>; readonly head: Waiting<T>; readonly turn: number }

/** All who demand the same: only the first of them is ever looked at. */
export type Line<T> = {
  readonly id: string
  readonly demands: readonly Demand[]
  readonly groups: Map<string, Group<T>>
  readonly heap: TinyQueue<GroupEntry<T>>
  /** The pool for which the line waits; null: a pool is too small for it, and it waits until that grows. */
  at: Pool<T> | null
}

/** `share`: the largest part of a pool that it holds, 0 to 1. `served`: when it last got something. */
export type Owner<T> = {
  readonly name: string
  readonly held: Map<string, number>
  share: number
  served: number
  readonly groups: Set<Group<T>>
}

export type Pool<T> = {
  readonly name: string
  capacity: number
  used: number
  readonly holders: Map<string, number>
  /** Lines that wait here. */
  readonly lines: Set<Line<T>>
  /** The same by their first; an entry whose line has moved or has another first is stale. */
  readonly heap: TinyQueue<LineEntry<T>>
  /** Requests, in any line, that demand something of this pool. */
  waiting: number
}

export type LineEntry<T> = { readonly line: Line<T>; readonly first: GroupEntry<T> }

export const soonerOfOwner = <T>(
  { request: a, order }: Waiting<T>,
  { request: b, order: other }: Waiting<T>,
) => b.priority - a.priority || b.weight - a.weight || order - other

export const sooner = <T>(a: GroupEntry<T>, b: GroupEntry<T>) =>
  a.turn - b.turn || b.head.request.weight - a.head.request.weight || a.head.order - b.head.order

export function entryAt<T>(group: Group<T>, head: Waiting<T>): GroupEntry<T> {
  const { since, owner } = group
  const { priority } = head.request
  return { group, head, turn: turnOf({ priority, since: Math.max(since, owner.served), share: owner.share }) }
}

export function isSame<T>({ request, group }: Waiting<T>, other: PoolRequest<T>, line: string): boolean {
  return (
    group.line.id === line &&
    request.owner === other.owner &&
    request.priority === other.priority &&
    request.since === other.since &&
    request.weight === other.weight
  )
}

/** Drops the stale entries from the middle of a heap. */
export function rebuild<T>(heap: TinyQueue<T>, isLive: (item: T) => boolean): void {
  const live = heap.data.filter(isLive)
  heap.data = []
  heap.length = 0
  for (const item of live) heap.push(item)
}
