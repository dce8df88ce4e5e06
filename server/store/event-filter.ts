import type { Event } from '@/core/engine/event'
import { matchesSegments } from '@/core/pipeline/gate/event-pattern'
import { segmentsOf } from '@/core/pipeline/gate/event-type'
import type { EventFilter } from '@/server/ports/journal'
import { requireLimit } from './bounds'
import { StoreError } from './store-error'

const EVENT_LIMIT = 10_000
const EVENT_LIMIT_DEFAULT = 1_000
const TYPES_MAX = 100
const TYPE_LENGTH_MAX = 512

export type CheckedEventFilter = {
  readonly exact: readonly string[]
  readonly patterns: readonly string[]
  readonly limit: number
}

/**
 * Bounds a filter and sorts its types into exact ones and patterns.
 * @throws StoreError `invalid_filter` (over 100 types, or one over 512 characters), `invalid_limit` (1 to 10,000; absent: 1,000)
 */
export function checkEventFilter(filter: EventFilter): CheckedEventFilter {
  const types = filter.types ?? []
  if (types.length > TYPES_MAX || types.some((type) => type.length === 0 || type.length > TYPE_LENGTH_MAX)) {
    throw new StoreError(
      'invalid_filter',
      `At most ${TYPES_MAX} event types of 1 to ${TYPE_LENGTH_MAX} characters.`,
    )
  }
  return {
    exact: types.filter((type) => !isPattern(type)),
    patterns: types.filter(isPattern),
    limit: requireLimit(filter.limit, EVENT_LIMIT, EVENT_LIMIT_DEFAULT),
  }
}

function isPattern(type: string): boolean {
  return segmentsOf(type).includes('*')
}

function matchesType(pattern: string, type: string): boolean {
  return matchesSegments(segmentsOf(pattern), segmentsOf(type))
}

/** All given conditions hold [E-7]; the type matches any of the filter's types. */
export function matchesEvent(filter: EventFilter, event: Event): boolean {
  const at = Date.parse(event.timestamp)
  return (
    (filter.types === undefined ||
      filter.types.length === 0 ||
      filter.types.some((pattern) => matchesType(pattern, event.type))) &&
    (filter.entityType === undefined || filter.entityType === event.source.entity_type) &&
    (filter.entityId === undefined || filter.entityId === event.source.entity_id) &&
    (filter.from === undefined || at >= filter.from) &&
    (filter.to === undefined || at <= filter.to) &&
    (filter.after === undefined || event.seq > filter.after)
  )
}
