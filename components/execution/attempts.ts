import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Event } from '@/core/engine/event'
import { formatInstant, parseInstant } from '@/core/engine/instant'
import { foldEvent, isAttempt, newNodeIntervals, type Outcome } from '@/core/engine/timeline/intervals'
import { typedEvent } from '@/core/engine/typed-event'
import type { NodeStatus } from '@/core/engine/view/view'

export type Attempt = {
  readonly generation: number
  /** null: of the node itself. */
  readonly item: number | null
  readonly attempt: number
  readonly status: NodeStatus
  readonly text: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly error: string | null
  /** The run that does the work, where the node runs another pipeline. */
  readonly child: string | null
  /** When the next attempt is due (ISO 8601); null where none is. */
  readonly nextAt: string | null
}

/**
 * The seq up to which the input of the latest attempt of a node was resolved; null before its start.
 * For a node without attempts (an approval) it is that of the node's own start. A node that was reset has not started.
 */
export function startSeqOf(events: readonly Event[], nodeId: string): number | null {
  const types = [`${nodeId}.task.started`, `${nodeId}.started`]
  const reset = events.findLast((event) => event.type === `${nodeId}.reset`)?.seq ?? 0
  for (const type of types) {
    const found = events.findLast((event) => event.type === type && event.item === undefined)
    if (found !== undefined && found.seq > reset) return found.seq
  }
  return null
}

/**
 * The attempts of a node and of its items, from the events, in the order of their starts. A lost attempt keeps its number.
 * They agree with the intervals of the timeline.
 */
export function attemptsOf(events: readonly Event[], nodeId: string): Attempt[] {
  const node = newNodeIntervals(nodeId)
  for (const event of events) {
    if (eventTypeOf(event.type).node !== nodeId) continue
    const typed = typedEvent(event)
    if (typed.level === 'node' || typed.level === 'task')
      foldEvent(node, typed, parseInstant(event.timestamp))
  }
  const found: Attempt[] = []
  // The index of the last row of each item: a forEach may have tens of thousands of items.
  const last = new Map<number | null, number>()
  const setNext = (item: number | null, nextAt: string | null) => {
    const index = last.get(item)
    if (index !== undefined) found[index] = { ...found[index]!, nextAt }
  }
  for (const interval of node.all) {
    const { item, generation, attempt, from, to, error, child } = interval
    if (interval.kind === 'retrying') {
      const isDue = interval.outcome === null && interval.dueAt !== null
      setNext(item, isDue ? formatInstant(interval.dueAt) : null)
    }
    const unbegun = interval.waitsFor === 'begin'
    // One that began is listed with its work.
    if (!isAttempt(interval) && !(unbegun && (to === null || interval.outcome !== null))) {
      if (interval.outcome === 'reset') setNext(item, null)
      continue
    }
    setNext(item, null)
    const face = unbegun && to === null ? UNBEGUN : facesOf[interval.outcome ?? 'open']
    const [status, text] = face ?? facesOf.open
    const startedAt = formatInstant(from)
    const endedAt = to === null ? null : formatInstant(to)
    last.set(item, found.length)
    found.push({
      generation,
      item,
      attempt: attempt ?? 1,
      status,
      text,
      startedAt,
      endedAt,
      error,
      child,
      nextAt: null,
    })
  }
  return found
}

const UNBEGUN = ['waiting', 'Waits to begin'] as const

const facesOf: Partial<Record<Outcome | 'open', readonly [NodeStatus, string]>> & {
  readonly open: readonly [NodeStatus, string]
} = {
  open: ['running', 'Running'],
  completed: ['completed', 'Completed'],
  failed: ['failed', 'Failed'],
  lost: ['retrying', 'Worker lost'],
  // A pause stopped it: nothing runs now.
  stopped: ['queued', 'Stopped'],
  cancelled: ['cancelled', 'Cancelled'],
  reset: ['cancelled', 'Reset'],
}

/** The latest event of the run of that type, unless a rerun has superseded it. */
export function lastSinceRestart(events: readonly Event[], type: string): Event | undefined {
  const found = events.findLast((event) => event.type === type || event.type === 'pipeline.restarted')
  return found?.type === type ? found : undefined
}

/** All attempts of one item, or of the node itself where `item` is null. */
export type ItemAttempts = {
  readonly item: number | null
  readonly status: NodeStatus
  readonly attempts: readonly Attempt[]
}

const urgency = (status: NodeStatus) =>
  status === 'failed' ? 0 : status === 'retrying' ? 1 : status === 'running' ? 2 : 3

/**
 * Attempts by item: failed items first, then those that are retried or run, then the latest; at most `most` attempts. `more`:
 * how many items were left out. A node without items is one group with its latest attempts.
 */
export function attemptGroups(
  attempts: readonly Attempt[],
  most: number,
): { readonly groups: readonly ItemAttempts[]; readonly more: number } {
  const items = new Map<number | null, Attempt[]>()
  for (const attempt of attempts) {
    const own = items.get(attempt.item)
    if (own === undefined) items.set(attempt.item, [attempt])
    else own.push(attempt)
  }
  const all = [...items].map(([item, own]) => {
    const last = own.at(-1)!
    return {
      item,
      attempts: own,
      status: last.nextAt === null ? last.status : ('retrying' as const),
      startedAt: last.startedAt,
    }
  })
  all.sort((a, b) => urgency(a.status) - urgency(b.status) || b.startedAt.localeCompare(a.startedAt))
  const groups: ItemAttempts[] = []
  let room = most
  for (const { item, status, attempts: own } of all) {
    if (room <= 0) break
    groups.push({ item, status, attempts: own.slice(-room) })
    room -= own.length
  }
  return { groups, more: all.length - groups.length }
}
