import { expressionBuilder, sql } from 'kysely'
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely'
import type { EntityType } from '@/core/engine/event'
import { SUPERSEDED_BY_RESTART, SUPERSEDED_BY_ROLLBACK } from '@/core/engine/fold/superseded'
import type { EventFilter, EventStore, ListedEvent } from '@/server/ports/journal'
import { requireExecutionId } from '@/server/store/bounds'
import { checkEventFilter } from '@/server/store/event-filter'
import type { CheckedEventFilter } from '@/server/store/event-filter'
import type { SqlDialect } from './dialect'
import { prepare, type Parameter } from './prepared'
import { eventOf } from './rows'
import type { EventRecord } from './rows'
import type { Tables } from './tables'

type OfEvents = ExpressionBuilder<Tables, 'events'>

/** `core/engine/fold/superseded` in SQL: has the next event of the type that supersedes this one come? */
function isSuperseded(it: OfEvents) {
  const resetOfEntity = sql<string>`${it.ref('events.entity_id')} || '.reset'`
  const decisions = [
    sql<string>`'external.' || ${it.ref('events.entity_id')} || '.approved'`,
    sql<string>`'external.' || ${it.ref('events.entity_id')} || '.rejected'`,
  ]
  const superseder = it
    .case()
    .when('events.entity_type', 'in', ['node', 'task', 'rollback'])
    .then(resetOfEntity)
    .when(it.and([it('events.entity_type', '=', 'external'), it('events.type', 'in', decisions)]))
    .then(resetOfEntity)
    .when('events.type', 'in', SUPERSEDED_BY_RESTART)
    .then('pipeline.restarted')
    .end()
  const orRollback = it
    .case()
    .when('events.type', 'in', SUPERSEDED_BY_ROLLBACK)
    .then('pipeline.rolling_back')
    .end()
  return it.exists(
    it
      .selectFrom('events as later')
      .select('later.seq')
      .whereRef('later.tenant_id', '=', 'events.tenant_id')
      .whereRef('later.execution_id', '=', 'events.execution_id')
      .whereRef('later.seq', '>', 'events.seq')
      .where((later) =>
        later.or([later('later.type', '=', superseder), later('later.type', '=', orRollback)]),
      ),
  )
}

type ListedRecord = EventRecord & { readonly superseded: SqlBool }

function listedOf(record: ListedRecord): ListedEvent {
  const event = eventOf(record)
  return record.superseded ? { ...event, superseded: true } : event
}

/** Events of one execution, asked, never pushed [E-10]. */
export function createSqlEventStore(db: Kysely<Tables>, dialect: SqlDialect, tenantId: string): EventStore {
  // Built once: building it anew takes longer than the query.
  const isSupersededHere = isSuperseded(expressionBuilder<Tables, 'events'>())
  /** Events that count; or all, each with whether it does. */
  function select(executionId: string | Parameter<string>, superseded: boolean) {
    const ofExecution = db
      .selectFrom('events')
      .selectAll()
      .$narrowType<{ entity_type: EntityType }>()
      .where('tenant_id', '=', tenantId)
      .where('execution_id', '=', executionId)
    return superseded
      ? ofExecution.select(isSupersededHere.as('superseded'))
      : ofExecution.select(sql.lit<SqlBool>(0).as('superseded')).where((it) => it.not(isSupersededHere))
  }
  const ofType = (superseded: boolean, order: 'asc' | 'desc') =>
    prepare((executionId: Parameter<string>, type: Parameter<string>) =>
      select(executionId, superseded).where('type', '=', type).orderBy('seq', order).limit(1),
    )
  const after = (superseded: boolean) =>
    prepare((executionId: Parameter<string>, seq: Parameter<number>, limit: Parameter<number>) =>
      select(executionId, superseded).where('seq', '>', seq).orderBy('seq').limit(limit),
    )
  const pages = { counting: after(false), all: after(true) }
  const first = { counting: ofType(false, 'asc'), all: ofType(true, 'asc') }
  const latest = { counting: ofType(false, 'desc'), all: ofType(true, 'desc') }

  return {
    async has(executionId, type, { superseded = false } = {}) {
      const query = superseded ? first.all : first.counting
      return (await db.executeQuery(query(requireExecutionId(executionId), type))).rows.length > 0
    },
    async get(executionId, type, { which = 'latest', superseded = false } = {}) {
      const query = (which === 'latest' ? latest : first)[superseded ? 'all' : 'counting']
      const [record] = (await db.executeQuery(query(requireExecutionId(executionId), type))).rows
      return record === undefined ? null : listedOf(record)
    },
    async query(executionId, filter) {
      requireExecutionId(executionId)
      const checked = checkEventFilter(filter)
      if (isPage(filter)) {
        const query = pages[filter.superseded ? 'all' : 'counting']
        const { rows } = await db.executeQuery(query(executionId, filter.after ?? 0, checked.limit))
        return rows.map(listedOf)
      }
      const records = await select(executionId, filter.superseded ?? false)
        .where((it) => it.and(conditionsOf(it, dialect, filter, checked)))
        .orderBy('seq')
        .limit(checked.limit)
        .execute()
      return records.map(listedOf)
    },
  }
}

/** Does it ask for nothing but the next events? */
function isPage(filter: EventFilter): boolean {
  const { after: _after, limit: _limit, superseded: _superseded, ...conditions } = filter
  return Object.values(conditions).every((value) => value === undefined)
}

function conditionsOf(
  it: OfEvents,
  dialect: SqlDialect,
  filter: EventFilter,
  { exact, patterns }: CheckedEventFilter,
): Expression<SqlBool>[] {
  const conditions: Expression<SqlBool>[] = []
  if (filter.after !== undefined) conditions.push(it('seq', '>', filter.after))
  if (filter.entityType !== undefined) conditions.push(it('entity_type', '=', filter.entityType))
  if (filter.entityId !== undefined) conditions.push(it('entity_id', '=', filter.entityId))
  if (filter.from !== undefined) conditions.push(it('timestamp', '>=', filter.from))
  if (filter.to !== undefined) conditions.push(it('timestamp', '<=', filter.to))
  const types: Expression<SqlBool>[] = patterns.map((pattern) => dialect.matchesPattern('type', pattern))
  if (exact.length > 0) types.push(it('type', 'in', exact))
  if (types.length > 0) conditions.push(it.or(types))
  return conditions
}
