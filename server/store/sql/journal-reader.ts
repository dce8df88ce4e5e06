import type { Kysely } from 'kysely'
import type { EntityType } from '@/core/engine/event'
import type { Journal } from '@/server/ports/journal'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { prepare, type Parameter } from './prepared'
import { entriesOf } from './rows'
import type { Tables } from './tables'

/** As many entries as one execution can have: reading all of a run is what a fold does. */
const READ_MAX = 10_000_000

/** Reads the entries of one execution: its events, and the variable writes up to the last of them. */
export function createSqlJournalReader(db: Kysely<Tables>, tenantId: string): Journal['read'] {
  const events = prepare(
    (executionId: Parameter<string>, after: Parameter<number>, limit: Parameter<number>) =>
      db
        .selectFrom('events')
        .selectAll()
        .$narrowType<{ entity_type: EntityType }>()
        .where('tenant_id', '=', tenantId)
        .where('execution_id', '=', executionId)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(limit),
  )
  const variables = prepare(
    (executionId: Parameter<string>, after: Parameter<number>, last: Parameter<number>) =>
      db
        .selectFrom('variables')
        .select(['name', 'seq', 'value', 'ref'])
        .where('tenant_id', '=', tenantId)
        .where('execution_id', '=', executionId)
        .where('seq', '>', after)
        .where('seq', '<=', last)
        .orderBy('seq')
        .orderBy('ordinal'),
  )
  return async (executionId, { after = 0, limit } = {}) => {
    requireExecutionId(executionId)
    const found = (await db.executeQuery(events(executionId, after, requireLimit(limit, READ_MAX)))).rows
    const last = found.at(-1)
    if (last === undefined) return []
    return entriesOf(found, (await db.executeQuery(variables(executionId, after, last.seq))).rows)
  }
}
