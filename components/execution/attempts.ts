import type { Event } from '@/core/engine/event'
import type { NodeStatus } from '@/core/engine/view'

export type Attempt = {
  readonly generation: number
  readonly attempt: number
  readonly status: NodeStatus
  readonly text: string
  readonly startedAt: string
  readonly endedAt: string | null
  readonly error: string | null
}

const endings: ReadonlyMap<string, { status: NodeStatus; text: string }> = new Map([
  ['task.completed', { status: 'completed', text: 'Completed' }],
  ['task.failed', { status: 'failed', text: 'Failed' }],
  ['task.lost', { status: 'retrying', text: 'Worker lost' }],
])

/**
 * The seq at which the latest work of a node began: what its input was resolved up to. null while it has not started.
 * A node without attempts (an approval) began with itself.
 */
export function startSeqOf(events: readonly Event[], nodeId: string): number | null {
  const types = [`${nodeId}.task.started`, `${nodeId}.started`]
  for (const type of types) {
    const found = events.findLast((event) => event.type === type && event.item === undefined)
    if (found !== undefined) return found.seq
  }
  return null
}

/** The attempts of a node (those of items aside) as the events tell them, oldest first. A lost one keeps its number and is started again. */
export function attemptsOf(events: readonly Event[], nodeId: string): Attempt[] {
  const found: Attempt[] = []
  for (const event of events) {
    if (event.attempt === undefined || event.item !== undefined || !event.type.startsWith(`${nodeId}.task.`))
      continue
    const word = event.type.slice(nodeId.length + 1)
    if (word === 'task.started') {
      found.push({
        generation: event.generation,
        attempt: event.attempt,
        status: 'running',
        text: 'Running',
        startedAt: event.timestamp,
        endedAt: null,
        error: null,
      })
      continue
    }
    const ending = endings.get(word)
    const index = found.findLastIndex(
      (attempt) => attempt.generation === event.generation && attempt.attempt === event.attempt,
    )
    const open = found[index]
    if (ending === undefined || open === undefined) continue
    const error = event.payload.error as { message?: unknown } | undefined
    const reason = error?.message ?? event.payload.reason
    found[index] = {
      ...open,
      ...ending,
      endedAt: event.timestamp,
      error: typeof reason === 'string' ? reason : null,
    }
  }
  return found
}
