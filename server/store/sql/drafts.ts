import { sql } from 'kysely'
import type { Kysely, Selectable } from 'kysely'
import { DRAFT_BEGINNING, DRAFTS_MAX, type DraftRow, type DraftStore } from '@/server/ports/drafts'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { draftVersion } from '@/server/store/draft-version'
import type { Tables } from './tables'

const LIST_MAX = 1_000

export function createSqlDrafts(db: Kysely<Tables>, tenantId: string): DraftStore {
  return {
    async get(userId, pipelineId) {
      const row = await db
        .selectFrom('drafts')
        .selectAll()
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('pipeline_id', '=', pipelineId)
        .executeTakeFirst()
      return row === undefined ? null : { ...summaryOf(row), text: row.text }
    },
    async list(userId, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : readCursor(range.cursor, ['string'])
      const rows = await db
        .selectFrom('drafts')
        .select(['user_id', 'user_name', 'pipeline_id', 'base_revision', 'format', 'version', 'updated_at'])
        .select(sql<string>`substr(text, 1, ${sql.lit(DRAFT_BEGINNING)})`.as('beginning'))
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('pipeline_id', '>', String(after))
        .orderBy('pipeline_id')
        .limit(limit + 1)
        .execute()
      const items = rows.map((row) => ({ ...summaryOf(row), beginning: row.beginning }))
      return pageOf(items, limit, (row) => [row.pipelineId])
    },
    put(draft, ifMatch) {
      return db.transaction().execute((tx) => putDraft(tx, tenantId, draft, ifMatch))
    },
    async remove(userId, pipelineId, ifMatch) {
      const { numDeletedRows } = await db
        .deleteFrom('drafts')
        .where('tenant_id', '=', tenantId)
        .where('user_id', '=', userId)
        .where('pipeline_id', '=', pipelineId)
        .$if(ifMatch !== undefined, (query) => query.where('version', '=', ifMatch ?? 0))
        .executeTakeFirstOrThrow()
      return numDeletedRows === 1n
    },
  }
}

async function putDraft(
  tx: Kysely<Tables>,
  tenantId: string,
  draft: Omit<DraftRow, 'version'>,
  ifMatch: number,
): ReturnType<DraftStore['put']> {
  const { userId, pipelineId } = draft
  const ofUser = tx.selectFrom('drafts').where('tenant_id', '=', tenantId).where('user_id', '=', userId)
  const before = await ofUser.select('version').where('pipeline_id', '=', pipelineId).executeTakeFirst()
  const seen = before?.version ?? null
  if ((seen ?? 0) !== ifMatch) return { stale: seen ?? 0 }
  if (seen === null) {
    const { count } = await ofUser
      .select((it) => it.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= DRAFTS_MAX) return 'full'
  }
  const version = draftVersion(seen, draft.updatedAt)
  const columns = {
    user_name: draft.userName,
    base_revision: draft.baseRevision,
    text: draft.text,
    format: draft.format,
    version,
    updated_at: draft.updatedAt,
  }
  await tx
    .insertInto('drafts')
    .values({ tenant_id: tenantId, user_id: userId, pipeline_id: pipelineId, ...columns })
    .onConflict((it) => it.columns(['tenant_id', 'user_id', 'pipeline_id']).doUpdateSet(columns))
    .execute()
  return { version }
}

function summaryOf(row: Omit<Selectable<Tables['drafts']>, 'text' | 'tenant_id'>): Omit<DraftRow, 'text'> {
  return {
    userId: row.user_id,
    userName: row.user_name,
    pipelineId: row.pipeline_id,
    baseRevision: row.base_revision,
    format: row.format === 'json' ? 'json' : 'yaml',
    version: row.version,
    updatedAt: row.updated_at,
  }
}
