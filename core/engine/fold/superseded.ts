import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Event } from '@/core/engine/event'

/**
 * What does not count any more after a reset. Events stay in the journal; lists leave these out unless they are
 * asked for all. The stores answer by the same rule from their own indexes.
 */

/** Events of the run that its next `pipeline.restarted` supersedes: how it ended, and what led there. */
export const SUPERSEDED_BY_RESTART: readonly string[] = [
  'pipeline.verifying',
  'pipeline.rolling_back',
  'pipeline.rolled_back',
  'pipeline.completed',
  'pipeline.failed',
  'pipeline.cancelling',
  'pipeline.cancelled',
  'pipeline.closed',
]

/** Of these the ends of a run, which a rollback of a run that was over supersedes as well. */
export const SUPERSEDED_BY_ROLLBACK: readonly string[] = [
  'pipeline.completed',
  'pipeline.failed',
  'pipeline.cancelling',
  'pipeline.cancelled',
  'pipeline.rolled_back',
  'pipeline.closed',
]

const NOTHING: readonly string[] = []

/** The event types whose next occurrence supersedes this event; none: nothing ever does. */
export function supersedersFor({ type, source }: Pick<Event, 'type' | 'source'>): readonly string[] {
  const { entity_type: level, entity_id: id } = source
  switch (level) {
    case 'pipeline':
      if (!SUPERSEDED_BY_RESTART.includes(type)) return NOTHING
      return SUPERSEDED_BY_ROLLBACK.includes(type)
        ? ['pipeline.restarted', 'pipeline.rolling_back']
        : ['pipeline.restarted']
    case 'node':
    case 'task':
    case 'rollback':
      return [`${id}.reset`]
    case 'external':
      // Only the decision of an approval has the node itself for its source.
      return type === `external.${id}.approved` || type === `external.${id}.rejected`
        ? [`${id}.reset`]
        : NOTHING
  }
}

/** The event type whose next occurrence hides a variable: a node's belong to its run, outputs of the run to its end. */
export function hiderOf(variable: string): string | null {
  if (variable.startsWith('pipeline.output.')) return 'pipeline.restarted'
  const node = writerOf(variable)
  return node === 'pipeline' || node === 'system' ? null : `${node}.reset`
}

/** Whose variable it is: `extract` of `extract.rows`, also of the output of one item (`extract/3.rows`). */
export function writerOf(variable: string): string {
  return variable.slice(0, variable.search(/[./]/))
}

const RUN_BEGINS_AGAIN: ReadonlySet<string> = new Set(['restarted', 'rolling_back'])

/** Does an event of this type make earlier ones count no more? */
function supersedes(type: string): boolean {
  const { level, word } = eventTypeOf(type)
  return level === 'node' ? word === 'reset' : level === 'pipeline' && RUN_BEGINS_AGAIN.has(word)
}

/** The latest seq of every event that supersedes others, of a whole log or of one page of it. */
export function supersedersOf(events: Iterable<Event>): Map<string, number> {
  const latest = new Map<string, number>()
  for (const { type, seq } of events) if (supersedes(type)) latest.set(type, seq)
  return latest
}

/** Does the event count no more, given the latest seq of every event that supersedes others? */
export function isSuperseded(event: Event, latest: ReadonlyMap<string, number>): boolean {
  return supersedersFor(event).some((by) => event.seq < (latest.get(by) ?? 0))
}
