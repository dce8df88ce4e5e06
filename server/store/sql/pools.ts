import type { Kysely } from 'kysely'
import type { PoolRows } from '@/server/ports/pools'
import type { Tables } from './tables'

export function createSqlPools(db: Kysely<Tables>, tenantId: string): PoolRows {
  return {
    async list() {
      const rows = await db
        .selectFrom('pools')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .orderBy('name')
        .execute()
      return rows.map((row) => ({
        name: row.name,
        capacity: row.capacity,
        updatedAt: row.updated_at,
        updatedBy: row.updated_by,
        updatedById: row.updated_by_id,
      }))
    },
    async put({ name, capacity, updatedAt, updatedBy, updatedById }) {
      const changed = { capacity, updated_at: updatedAt, updated_by: updatedBy, updated_by_id: updatedById }
      await db
        .insertInto('pools')
        .values({ tenant_id: tenantId, name, ...changed })
        .onConflict((it) => it.columns(['tenant_id', 'name']).doUpdateSet(changed))
        .execute()
    },
    async remove(name) {
      const { numDeletedRows } = await db
        .deleteFrom('pools')
        .where('tenant_id', '=', tenantId)
        .where('name', '=', name)
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
  }
}
