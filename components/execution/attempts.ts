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
  /** When it is tried again (ISO 8601); null where no other try is due. */
  readonly nextAt: string | null
}

/**
 * The seq at which the latest work of a node began: what its input was resolved up to. null while it has not started.
 * A node without attempts (an approval) began with itself; what was reset has not started.
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
 * The attempts of a node and of its items as the events tell them, in the order of their starts. A lost one keeps its number.
 * They are those of the intervals that the timeline draws.
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
  // Of each item the place of its last row: a forEach may have tens of thousands.
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
    if (!isAttempt(interval)) {
      if (interval.outcome === 'reset') setNext(item, null)
      continue
    }
    setNext(item, null)
    const [status, text] = facesOf[interval.outcome ?? 'open'] ?? facesOf.open
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

const facesOf: Partial<Record<Outcome | 'open', readonly [NodeStatus, string]>> & {
  readonly open: readonly [NodeStatus, string]
} = {
  open: ['running', 'Running'],
  completed: ['completed', 'Completed'],
  failed: ['failed', 'Failed'],
  lost: ['retrying', 'Worker lost'],
  // Nobody does it now: a pause has stopped it.
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
 * Attempts by item: first what failed, then what is tried again or runs, then the latest; at most `most` attempts. `more` says
 * how many items were left out. A node without items is one group, of its latest attempts.
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
