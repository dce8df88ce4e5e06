import type Database from 'better-sqlite3'
import type { EventFilter, EventStore } from '@/server/ports/journal'
import { requireExecutionId } from '@/server/store/bounds'
import { checkEventFilter } from '@/server/store/event-filter'
import type { CheckedEventFilter } from '@/server/store/event-filter'
import { eventOf } from './rows'
import type { EventRecord, Parameter } from './rows'

const SELECT = `SELECT execution_id, seq, type, entity_type, entity_id, generation, attempt, item, actor, payload, timestamp
  FROM events WHERE tenant_id = ? AND execution_id = ?`

/** Events of one execution, asked, never pushed [E-10]. */
export function createSqliteEventStore(db: Database.Database, tenantId: string): EventStore {
  const has = db
    .prepare('SELECT 1 FROM events WHERE tenant_id = ? AND execution_id = ? AND type = ? LIMIT 1')
    .pluck()
  const latest = db.prepare<Parameter[], EventRecord>(`${SELECT} AND type = ? ORDER BY seq DESC LIMIT 1`)
  const first = db.prepare<Parameter[], EventRecord>(`${SELECT} AND type = ? ORDER BY seq LIMIT 1`)
  /** One statement for every combination of conditions that was asked for: a fixed, small number. */
  const queries = new Map<string, Database.Statement<Parameter[], EventRecord>>()

  function prepared(conditions: readonly string[]): Database.Statement<Parameter[], EventRecord> {
    const sql = [SELECT, ...conditions, 'ORDER BY seq LIMIT ?'].join(' ')
    const statement = queries.get(sql) ?? db.prepare<Parameter[], EventRecord>(sql)
    queries.set(sql, statement)
    return statement
  }

  return {
    async has(executionId, type) {
      return has.get(tenantId, requireExecutionId(executionId), type) !== undefined
    },
    async get(executionId, type, which = 'latest') {
      const statement = which === 'latest' ? latest : first
      const record = statement.get(tenantId, requireExecutionId(executionId), type)
      return record === undefined ? null : eventOf(record)
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
      return prepared(conditions)
        .all(...parameters, checked.limit)
        .map(eventOf)
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
