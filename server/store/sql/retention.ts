import { sql } from 'kysely'
import type { Kysely, RawBuilder } from 'kysely'
import type { Retention } from '@/server/ports/retention'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import type { SqlDialect } from './dialect'
import type { Tables } from './tables'

/** One step removes so many rows of one table, or fewer when they are large: a commit waits for one step at most. */
const STEP_ROWS = 500
const STEP_BYTES = 4 * 1024 * 1024
const EXPIRED_MAX = 1_000

type Part = {
  readonly table: keyof Tables
  /** The columns that identify a row within one execution. */
  readonly keys: readonly string[]
  /** The column that may be large. */
  readonly large?: string
}

/** Everything that belongs to an execution beside its registry row, one line for each table. A new table needs a new line. */
const PARTS: readonly Part[] = [
  { table: 'execution_labels', keys: ['tenant_id', 'key', 'value', 'created_at', 'execution_id'] },
  { table: 'approvals', keys: ['node_id'] },
  { table: 'idempotency', keys: ['scope', 'key'], large: 'answer' },
  { table: 'events', keys: ['seq'], large: 'payload' },
  { table: 'variables', keys: ['name', 'seq'], large: 'value' },
  { table: 'log_lines', keys: ['node_id', 'n'], large: 'text' },
  { table: 'refused_results', keys: ['node_id', 'id'], large: 'reason' },
  { table: 'webhook_deliveries', keys: ['seq', 'webhook_id'], large: 'last_error' },
  { table: 'artifacts', keys: ['artifact_id'] },
  { table: 'run_profiles', keys: ['execution_id'], large: 'profile' },
]

/** Removal of executions. The digests of removed artifacts are noted in the same transaction, so that no content is forgotten. */
export function createSqlRetention(
  db: Kysely<Tables>,
  dialect: SqlDialect,
  tenantId: string,
): Omit<Retention, 'compact'> {
  const removals = db.selectFrom('removals').select('id').where('tenant_id', '=', tenantId)
  // A closed child goes with its parent: as long as that is there, only the parent is looked at.
  const removable = db
    .selectFrom('executions as e')
    .where('e.tenant_id', '=', tenantId)
    .where((it) =>
      it.not(
        it.exists(
          it
            .selectFrom('executions as p')
            .select('p.execution_id')
            .whereRef('p.tenant_id', '=', 'e.tenant_id')
            .whereRef('p.execution_id', '=', 'e.parent_id'),
        ),
      ),
    )
    .orderBy('e.closed_at')
    .orderBy('e.execution_id')

  return {
    async expired(closedBy, limit) {
      const rows = await removable
        .select('e.execution_id')
        .where('e.closed_at', '>=', 0)
        .where('e.closed_at', '<=', closedBy)
        .limit(requireLimit(limit, EXPIRED_MAX))
        .execute()
      return rows.map((row) => row.execution_id)
    },
    async nextClosedAt(closedAfter) {
      const row = await removable
        .select('e.closed_at')
        .where('e.closed_at', '>', closedAfter)
        .limit(1)
        .executeTakeFirst()
      return row?.closed_at ?? null
    },
    async begin(executionId, { evenOpen } = { evenOpen: false }) {
      requireExecutionId(executionId)
      return db.transaction().execute(async (tx) => {
        const row = await findWithParent(tx, tenantId, executionId)
        if (row === undefined) return 'missing'
        if (row.parent !== null) return 'child'
        if (row.closed_at === null && !evenOpen) return 'open'
        await take(tx, tenantId, executionId)
        return 'begun'
      })
    },
    async abandon(executionId) {
      requireExecutionId(executionId)
      await db.transaction().execute(async (tx) => {
        if ((await findWithParent(tx, tenantId, executionId)) !== undefined) return
        await note(tx, { tenant_id: tenantId, kind: 'execution', id: executionId })
      })
    },
    step: () => db.transaction().execute((tx) => step(tx, dialect, tenantId)),
    async unusedContents(limit) {
      const rows = await removals
        .where('kind', '=', 'content')
        .orderBy('id')
        .limit(requireLimit(limit, EXPIRED_MAX))
        .execute()
      return rows.map(({ id }) => id)
    },
    async settleContent(digest) {
      await forget(db, { tenant_id: tenantId, kind: 'content', id: digest })
    },
  }
}

type Removal = Tables['removals']

async function note(tx: Kysely<Tables>, removal: Removal): Promise<void> {
  await tx
    .insertInto('removals')
    .values(removal)
    .onConflict((it) => it.doNothing())
    .execute()
}

async function forget(db: Kysely<Tables>, { tenant_id, kind, id }: Removal): Promise<void> {
  await db
    .deleteFrom('removals')
    .where('tenant_id', '=', tenant_id)
    .where('kind', '=', kind)
    .where('id', '=', id)
    .execute()
}

function findWithParent(tx: Kysely<Tables>, tenantId: string, executionId: string) {
  return tx
    .selectFrom('executions as e')
    .leftJoin('executions as p', (join) =>
      join.onRef('p.tenant_id', '=', 'e.tenant_id').onRef('p.execution_id', '=', 'e.parent_id'),
    )
    .select(['e.closed_at', 'p.execution_id as parent'])
    .where('e.tenant_id', '=', tenantId)
    .where('e.execution_id', '=', executionId)
    .executeTakeFirst()
}

/** Hides an execution from everybody and notes that its rows are to be removed. */
async function take(tx: Kysely<Tables>, tenantId: string, executionId: string): Promise<void> {
  await tx
    .deleteFrom('executions')
    .where('tenant_id', '=', tenantId)
    .where('execution_id', '=', executionId)
    .execute()
  // Without its last event no write that was decided before finds the seq that it goes on from.
  await tx
    .deleteFrom('events')
    .where('tenant_id', '=', tenantId)
    .where('execution_id', '=', executionId)
    .where('seq', '=', (it) =>
      it
        .selectFrom('events')
        .select((of) => of.fn.max('seq').as('last'))
        .where('tenant_id', '=', tenantId)
        .where('execution_id', '=', executionId),
    )
    .execute()
  await note(tx, { tenant_id: tenantId, kind: 'execution', id: executionId })
}

async function step(
  tx: Kysely<Tables>,
  dialect: SqlDialect,
  tenantId: string,
): Promise<readonly string[] | null> {
  const noted = await tx
    .selectFrom('removals')
    .select('id')
    .where('tenant_id', '=', tenantId)
    .where('kind', '=', 'execution')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  if (noted === undefined) return null
  const children = await tx
    .selectFrom('executions')
    .select('execution_id')
    .where('tenant_id', '=', tenantId)
    .where('parent_id', '=', noted.id)
    .where('closed_at', 'is not', null)
    .limit(STEP_ROWS)
    .execute()
  for (const child of children) await take(tx, tenantId, child.execution_id)
  if (children.length > 0) return children.map((child) => child.execution_id)
  for (const part of PARTS) {
    if (part.table === 'artifacts') await noteContents(tx, tenantId, noted.id)
    const { numAffectedRows = 0n } = await removeRows(part, dialect, tenantId, noted.id).execute(tx)
    if (numAffectedRows > 0n) return []
  }
  await forget(tx, { tenant_id: tenantId, kind: 'execution', id: noted.id })
  return []
}

async function noteContents(tx: Kysely<Tables>, tenantId: string, executionId: string): Promise<void> {
  const artifacts = await tx
    .selectFrom('artifacts')
    .select('digest')
    .where('tenant_id', '=', tenantId)
    .where('execution_id', '=', executionId)
    .orderBy('artifact_id')
    .limit(STEP_ROWS)
    .execute()
  for (const { digest } of artifacts) await note(tx, { tenant_id: tenantId, kind: 'content', id: digest })
}

/**
 * Removes the first rows of an execution in a table: at most STEP_ROWS, and at least one however large it is. The tenant must not
 * choose the index: one that begins with it would be walked from its start.
 */
function removeRows(
  { table, keys, large }: Part,
  dialect: SqlDialect,
  tenantId: string,
  executionId: string,
): RawBuilder<unknown> {
  const key = sql.join(keys.map((column) => sql.ref(column)))
  const size = large === undefined ? sql.lit(0) : sql`coalesce(octet_length(${sql.ref(large)}), 0)`
  return sql`DELETE FROM ${sql.table(table)}
    WHERE ${dialect.unindexed('tenant_id')} = ${tenantId} AND execution_id = ${executionId} AND (${key}) IN (
      SELECT ${key} FROM (
        SELECT ${key}, sum(${size}) OVER (ORDER BY ${key} ROWS UNBOUNDED PRECEDING) - ${size} AS before
        FROM ${sql.table(table)} WHERE tenant_id = ${tenantId} AND execution_id = ${executionId}
        ORDER BY ${key} LIMIT ${sql.lit(STEP_ROWS)}
      ) AS first_rows WHERE before < ${sql.lit(STEP_BYTES)})`
}
