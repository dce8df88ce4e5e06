import type Database from 'better-sqlite3'
import { SUPERSEDED_BY_RESTART } from '@/core/engine/fold/superseded'
import type { EventFilter, EventStore, ListedEvent } from '@/server/ports/journal'
import { requireExecutionId } from '@/server/store/bounds'
import { checkEventFilter } from '@/server/store/event-filter'
import type { CheckedEventFilter } from '@/server/store/event-filter'
import { eventOf } from './rows'
import type { EventRecord, Parameter } from './rows'

/** `core/engine/superseded` in SQL: whether the next occurrence of the event type that supersedes an event has come. */
const IS_SUPERSEDED = `EXISTS (SELECT 1 FROM events AS later WHERE later.tenant_id = events.tenant_id
  AND later.execution_id = events.execution_id AND later.seq > events.seq AND later.type = CASE
    WHEN events.entity_type IN ('node', 'task') THEN events.entity_id || '.reset'
    WHEN events.entity_type = 'external' AND events.type IN ('external.' || events.entity_id || '.approved',
      'external.' || events.entity_id || '.rejected') THEN events.entity_id || '.reset'
    WHEN events.type IN (${SUPERSEDED_BY_RESTART.map((type) => `'${type}'`).join(', ')}) THEN 'pipeline.restarted' END)`

const COLUMNS =
  'execution_id, seq, type, entity_type, entity_id, generation, attempt, item, actor, actor_id, payload, timestamp'
const WHERE = 'FROM events WHERE tenant_id = ? AND execution_id = ?'
/** Events that count; all, each with whether it does. */
const SELECT = `SELECT ${COLUMNS}, 0 AS superseded ${WHERE} AND NOT ${IS_SUPERSEDED}`
const SELECT_ALL = `SELECT ${COLUMNS}, ${IS_SUPERSEDED} AS superseded ${WHERE}`

type ListedRecord = EventRecord & { readonly superseded: 0 | 1 }

function listedOf(record: ListedRecord): ListedEvent {
  const event = eventOf(record)
  return record.superseded === 1 ? { ...event, superseded: true } : event
}

/** Events of one execution, asked, never pushed [E-10]. */
export function createSqliteEventStore(db: Database.Database, tenantId: string): EventStore {
  /** One statement for every combination of conditions that was asked for: a fixed, small number. */
  const queries = new Map<string, Database.Statement<Parameter[], ListedRecord>>()

  function prepared(
    superseded: boolean,
    conditions: readonly string[],
    order: 'ASC' | 'DESC' = 'ASC',
  ): Database.Statement<Parameter[], ListedRecord> {
    const sql = [superseded ? SELECT_ALL : SELECT, ...conditions, `ORDER BY seq ${order} LIMIT ?`].join(' ')
    const statement = queries.get(sql) ?? db.prepare<Parameter[], ListedRecord>(sql)
    queries.set(sql, statement)
    return statement
  }

  return {
    async has(executionId, type, { superseded = false } = {}) {
      const statement = prepared(superseded, ['AND type = ?'])
      return statement.get(tenantId, requireExecutionId(executionId), type, 1) !== undefined
    },
    async get(executionId, type, { which = 'latest', superseded = false } = {}) {
      const statement = prepared(superseded, ['AND type = ?'], which === 'latest' ? 'DESC' : 'ASC')
      const record = statement.get(tenantId, requireExecutionId(executionId), type, 1)
      return record === undefined ? null : listedOf(record)
    },
    async query(executionId, filter) {
      requireExecutionId(executionId)
      const checked = checkEventFilter(filter)
      const conditions: string[] = []
      const parameters: Parameter[] = [tenantId, executionId]
      for (const [condition, ...values] of conditionsOf(filter, checked)) {
        conditions.push(`AND ${condition}`)
        parameters.push(...values)
      }
      return prepared(filter.superseded ?? false, conditions)
        .all(...parameters, checked.limit)
        .map(listedOf)
    },
  }
}

type Condition = readonly [sql: string, ...values: Parameter[]]

function conditionsOf(filter: EventFilter, { exact, patterns }: CheckedEventFilter): Condition[] {
  const conditions: Condition[] = []
  if (filter.after !== undefined) conditions.push(['seq > ?', filter.after])
  if (filter.entityType !== undefined) conditions.push(['entity_type = ?', filter.entityType])
  if (filter.entityId !== undefined) conditions.push(['entity_id = ?', filter.entityId])
  if (filter.from !== undefined) conditions.push(['timestamp >= ?', filter.from])
  if (filter.to !== undefined) conditions.push(['timestamp <= ?', filter.to])
  const types = typeCondition(exact, patterns)
  if (types !== null) conditions.push(types)
  return conditions
}

function typeCondition(exact: readonly string[], patterns: readonly string[]): Condition | null {
  const [only] = exact
  if (exact.length === 1 && patterns.length === 0 && only !== undefined) return ['type = ?', only]
  const isOne = 'type IN (SELECT value FROM json_each(?))'
  // `*` of GLOB may run over dots; with as many dots in the type as in the pattern none is left for it to run over.
  const fits = `EXISTS (SELECT 1 FROM json_each(?) AS pattern WHERE events.type GLOB pattern.value ->> 0
    AND length(events.type) - length(replace(events.type, '.', '')) = pattern.value ->> 1)`
  const globs = JSON.stringify(patterns.map((pattern) => [globOf(pattern), pattern.split('.').length - 1]))
  if (exact.length > 0 && patterns.length > 0) return [`(${isOne} OR ${fits})`, JSON.stringify(exact), globs]
  if (exact.length > 0) return [isOne, JSON.stringify(exact)]
  return patterns.length > 0 ? [fits, globs] : null
}

/** `*` as a whole segment is the wildcard (at least one character); everything else, also a `*` within a segment, is literal. */
function globOf(pattern: string): string {
  return pattern
    .split('.')
    .map((segment) => (segment === '*' ? '?*' : segment.replace(/[[*?]/g, '[$&]')))
    .join('.')
}
