import type { Kysely } from 'kysely'
import type { Json } from '@/core/engine/event'
import type { AuditLog } from '@/server/ports/audit'
import { requireLimit } from '@/server/store/bounds'
import type { Tables } from './tables'

const READ_MAX = 1_000

export function createSqlAudit(db: Kysely<Tables>, tenantId: string): AuditLog {
  return {
    async append({ at, actor, actorId, action, subject, result }) {
      const row = { tenant_id: tenantId, at, actor, actor_id: actorId, action, subject }
      await db
        .insertInto('audit')
        .values({ ...row, result: JSON.stringify(result) })
        .execute()
    },
    async read({ after = 0, limit }) {
      const rows = await db
        .selectFrom('audit')
        .select(['at', 'actor', 'actor_id as actorId', 'action', 'subject', 'result'])
        .where('tenant_id', '=', tenantId)
        .orderBy('id')
        .limit(requireLimit(limit, READ_MAX))
        .offset(after)
        .execute()
      return rows.map((row) => ({ ...row, result: JSON.parse(row.result) as Json }))
    },
  }
}
