import type { Kysely } from 'kysely'
import type { Histogram } from '@/core/objectives/histogram'
import type { ObjectiveStore } from '@/server/ports/objectives'
import { requireLimit } from '@/server/store/bounds'
import type { Tables } from './tables'

const READ_MAX = 1_440

export function createSqlObjectives(db: Kysely<Tables>, tenantId: string): ObjectiveStore {
  return {
    async list({ from, limit }) {
      const rows = await db
        .selectFrom('objective_minutes')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('minute', '>=', from)
        .orderBy('minute')
        .limit(requireLimit(limit, READ_MAX))
        .execute()
      return rows.map((row) => ({
        minute: row.minute,
        upMs: row.up_ms,
        runs: row.runs,
        recoveryMs: row.recovery_ms,
        parse: JSON.parse(row.parse) as Histogram,
        transition: JSON.parse(row.transition) as Histogram,
      }))
    },
    async first() {
      const row = await db
        .selectFrom('objective_minutes')
        .select('minute')
        .where('tenant_id', '=', tenantId)
        .orderBy('minute')
        .limit(1)
        .executeTakeFirst()
      return row?.minute ?? null
    },
    async put({ minute, upMs, runs, recoveryMs, parse, transition }) {
      const measured = {
        up_ms: upMs,
        runs,
        recovery_ms: recoveryMs,
        parse: JSON.stringify(parse),
        transition: JSON.stringify(transition),
      }
      await db
        .insertInto('objective_minutes')
        .values({ tenant_id: tenantId, minute, ...measured })
        .onConflict((it) => it.columns(['tenant_id', 'minute']).doUpdateSet(measured))
        .execute()
    },
    async prune(before) {
      await db
        .deleteFrom('objective_minutes')
        .where('tenant_id', '=', tenantId)
        .where('minute', '<', before)
        .execute()
    },
  }
}
