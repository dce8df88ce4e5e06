import type { Kysely, Selectable } from 'kysely'
import type { SecretRow, SecretRows } from '@/server/ports/secrets'
import type { Tables } from './tables'

export function createSqlSecretRows(db: Kysely<Tables>, tenantId: string): SecretRows {
  return {
    async find(name) {
      const row = await db
        .selectFrom('secrets')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .executeTakeFirst()
      return row === undefined ? null : { ...rowOf(row), sealed: row.sealed }
    },
    async put({ name, sealed, updatedAt, updatedBy, updatedById }) {
      const changed = { sealed, updated_at: updatedAt, updated_by: updatedBy, updated_by_id: updatedById }
      await db
        .insertInto('secrets')
        .values({ tenant_id: tenantId, name, ...changed, created_at: updatedAt })
        .onConflict((it) => it.columns(['tenant_id', 'name']).doUpdateSet(changed))
        .execute()
    },
    async list() {
      const rows = await db
        .selectFrom('secrets')
        .select(['name', 'created_at', 'updated_at', 'updated_by', 'updated_by_id'])
        .where('tenant_id', '=', tenantId)
        .orderBy('name')
        .execute()
      return rows.map(rowOf)
    },
    async remove(name) {
      const { numDeletedRows } = await db
        .deleteFrom('secrets')
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
  }
}

function rowOf(row: Omit<Selectable<Tables['secrets']>, 'tenant_id' | 'sealed'>): SecretRow {
  return {
    name: row.name,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    updatedBy: row.updated_by,
    updatedById: row.updated_by_id,
  }
}
