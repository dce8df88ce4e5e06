import type { Event } from '@/core/engine/event'
import type { NodeStatus } from '@/core/engine/view'

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

/** The attempts of a node and of its items as the events tell them, in the order of their starts. A lost one keeps its number. */
export function attemptsOf(events: readonly Event[], nodeId: string): Attempt[] {
  const found: Attempt[] = []
  // Of each attempt the place of its last row: a forEach may have tens of thousands.
  const open = new Map<string, number>()
  const begin = (event: Event, attempt: number) => {
    const child = event.payload['child_execution_id']
    const row: Attempt = {
      generation: event.generation,
      item: event.item ?? null,
      attempt,
      status: 'running',
      text: 'Running',
      startedAt: event.timestamp,
      endedAt: null,
      error: null,
      child: typeof child === 'string' ? child : null,
      nextAt: null,
    }
    open.set(`${row.generation}/${row.item}`, found.push(row) - 1)
  }
  for (const event of events) {
    if (!event.type.startsWith(`${nodeId}.`)) continue
    const word = event.type.slice(nodeId.length + 1)
    if (word === 'task.started') {
      if (event.attempt !== undefined) begin(event, event.attempt)
      continue
    }
    if (word === 'reset') {
      // Its attempts ended with the reset, without a word of their own.
      for (const index of open.values()) {
        const row = found[index]
        if (row?.endedAt === null)
          found[index] = { ...row, status: 'cancelled', text: 'Reset', endedAt: event.timestamp }
        else if (row) found[index] = { ...row, nextAt: null }
      }
      open.clear()
      continue
    }
    const index = open.get(`${event.generation}/${event.item ?? null}`)
    const last = index === undefined ? undefined : found[index]
    if (index === undefined || last === undefined) continue
    if (word === 'retrying') {
      const due = event.payload['due_at']
      found[index] = { ...last, nextAt: typeof due === 'string' ? due : null }
      continue
    }
    if (word === 'cancelled' && last.endedAt === null) {
      found[index] = { ...last, status: 'cancelled', text: 'Cancelled', endedAt: event.timestamp }
      continue
    }
    const ending = endingOf(word, event)
    if (ending === null || last.endedAt !== null) continue
    const error = event.payload['error'] as { message?: unknown } | undefined
    const reason = error?.message ?? event.payload['reason']
    found[index] = {
      ...last,
      ...ending,
      endedAt: event.timestamp,
      error: typeof reason === 'string' ? reason : null,
    }
    // The same attempt goes on under the next token, without a start of its own.
    if (word === 'task.lost' && event.payload['next_token'] !== undefined) begin(event, last.attempt)
  }
  return found
}

function endingOf(word: string, event: Event): { status: NodeStatus; text: string } | null {
  switch (word) {
    case 'task.completed':
      return { status: 'completed', text: 'Completed' }
    case 'task.failed':
      return { status: 'failed', text: 'Failed' }
    case 'task.lost':
      // Without a next token nobody does it now: a pause has stopped it, or it was lost too often.
      return event.payload['next_token'] === undefined && event.payload['final'] === false
        ? { status: 'queued', text: 'Stopped' }
        : { status: 'retrying', text: 'Worker lost' }
    default:
      return null
  }
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
