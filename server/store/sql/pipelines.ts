import type { Kysely, Selectable } from 'kysely'
import type { Json } from '@/core/engine/event'
import type { PipelineRegistry, PipelineRow, RevisionRow } from '@/server/ports/registry'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { searchTextOf } from '@/server/store/search-text'
import type { SqlDialect } from './dialect'
import { prepare, type Parameter } from './prepared'
import { replaceSchedules } from './schedules'
import type { Tables } from './tables'

const LIST_MAX = 1_000

/** Pipelines and revisions. `get` and `revision` stand in the way of every start and so are compiled once. */
export function createSqlPipelines(
  db: Kysely<Tables>,
  dialect: SqlDialect,
  tenantId: string,
): PipelineRegistry {
  const pipelines = db.selectFrom('pipelines').selectAll().where('tenant_id', '=', tenantId)
  const pipeline = prepare((id: Parameter<string>) =>
    pipelines.where('id', '=', id).where('deleted', '=', false),
  )
  const revisions = db.selectFrom('revisions').where('tenant_id', '=', tenantId)
  const latest = prepare((id: Parameter<string>) =>
    revisions.selectAll().where('pipeline_id', '=', id).orderBy('revision', 'desc').limit(1),
  )
  const numbered = prepare((id: Parameter<string>, revision: Parameter<number>) =>
    revisions.selectAll().where('pipeline_id', '=', id).where('revision', '=', revision),
  )

  return {
    create: (row) => db.transaction().execute((tx) => createPipeline(tx, tenantId, row)),

    update: (row, ifMatch) => db.transaction().execute((tx) => updatePipeline(tx, tenantId, row, ifMatch)),

    async get(id) {
      const [row] = (await db.executeQuery(pipeline(id))).rows
      return row === undefined ? null : pipelineOf(row)
    },

    async list({ cursor, search = '', ...range }) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = cursor === undefined ? [] : readCursor(cursor, ['string'])
      let query = pipelines.where('deleted', '=', false).where('id', '>', String(after))
      if (search !== '') query = query.where(dialect.contains('search_text', searchTextOf(search)))
      const rows = await query
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      return pageOf(rows.map(pipelineOf), limit, (row) => [row.id])
    },

    async revision(id, revision) {
      const query = revision === undefined ? latest(id) : numbered(id, revision)
      const [row] = (await db.executeQuery(query)).rows
      return row === undefined ? null : revisionOf(row)
    },

    async revisions(id, { cursor, ...range }) {
      const limit = requireLimit(range.limit, LIST_MAX)
      let query = revisions
        .select(['pipeline_id', 'revision', 'digest', 'created_at', 'created_by', 'created_by_id', 'note'])
        .where('pipeline_id', '=', id)
      if (cursor !== undefined)
        query = query.where('revision', '<', Number(readCursor(cursor, ['number'])[0]))
      const rows = await query
        .orderBy('revision', 'desc')
        .limit(limit + 1)
        .execute()
      return pageOf(rows.map(summaryOf), limit, (row) => [row.revision])
    },

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        const { numUpdatedRows } = await tx
          .updateTable('pipelines')
          .set({ deleted: true })
          .where('tenant_id', '=', tenantId)
          .where('id', '=', id)
          .where('deleted', '=', false)
          .executeTakeFirstOrThrow()
        await tx
          .deleteFrom('schedules')
          .where('tenant_id', '=', tenantId)
          .where('pipeline_id', '=', id)
          .execute()
        return numUpdatedRows === 1n
      }),
  }
}

type NewPipeline = Parameters<PipelineRegistry['create']>[0]

async function createPipeline(
  tx: Kysely<Tables>,
  tenantId: string,
  pipeline: NewPipeline,
): ReturnType<PipelineRegistry['create']> {
  const { pipelineId: id, createdAt } = pipeline.revision
  const before = await currentOf(tx, tenantId, id)
  if (before !== undefined && !before.deleted) return 'exists'
  const revision = (before?.revision ?? 0) + 1
  const columns = {
    ...columnsOf(pipeline),
    revision,
    created_at: createdAt,
    updated_at: createdAt,
    deleted: false,
  }
  await tx
    .insertInto('pipelines')
    .values({ tenant_id: tenantId, id, ...columns })
    .onConflict((it) => it.columns(['tenant_id', 'id']).doUpdateSet(columns))
    .execute()
  await insertRevision(tx, tenantId, pipeline, revision)
  await removeDraft(tx, tenantId, pipeline)
  return { revision }
}

async function updatePipeline(
  tx: Kysely<Tables>,
  tenantId: string,
  pipeline: NewPipeline,
  ifMatch: number,
): ReturnType<PipelineRegistry['update']> {
  const { pipelineId: id, createdAt, digest, text } = pipeline.revision
  const before = await currentOf(tx, tenantId, id)
  if (before === undefined || before.deleted) return 'missing'
  if (before.revision !== ifMatch) return { stale: before.revision }
  await removeDraft(tx, tenantId, pipeline)
  const current = await tx
    .selectFrom('revisions')
    .select('digest')
    .where('tenant_id', '=', tenantId)
    .where('pipeline_id', '=', id)
    .where('revision', '=', before.revision)
    .executeTakeFirst()
  if (current?.digest === digest) {
    if (text !== null) {
      await tx
        .updateTable('revisions')
        .set({ text })
        .where('tenant_id', '=', tenantId)
        .where('pipeline_id', '=', id)
        .where('revision', '=', before.revision)
        .execute()
    }
    return { revision: before.revision }
  }
  const revision = before.revision + 1
  await tx
    .updateTable('pipelines')
    .set({ ...columnsOf(pipeline), revision, updated_at: createdAt })
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .execute()
  await insertRevision(tx, tenantId, pipeline, revision)
  return { revision }
}

function currentOf(tx: Kysely<Tables>, tenantId: string, id: string) {
  return tx
    .selectFrom('pipelines')
    .select(['revision', 'deleted'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst()
}

function columnsOf({ name, description, labels, revision }: NewPipeline) {
  const search_text = searchTextOf(revision.pipelineId, name, description)
  return { name, description, labels: JSON.stringify(labels), search_text }
}

/** The revision and the schedules that it declares. */
async function insertRevision(
  tx: Kysely<Tables>,
  tenantId: string,
  { revision: row, schedules = [] }: NewPipeline,
  revision: number,
): Promise<void> {
  await tx
    .insertInto('revisions')
    .values({
      tenant_id: tenantId,
      pipeline_id: row.pipelineId,
      revision,
      definition: JSON.stringify(row.definition),
      text: row.text,
      digest: row.digest,
      created_at: row.createdAt,
      created_by: row.createdBy,
      created_by_id: row.createdById,
      note: row.note ?? null,
    })
    .execute()
  await replaceSchedules(tx, tenantId, row.pipelineId, schedules)
}

/** What was a draft of its author is published now. */
async function removeDraft(tx: Kysely<Tables>, tenantId: string, { revision }: NewPipeline): Promise<void> {
  const { createdById } = revision
  if (createdById === null) return
  await tx
    .deleteFrom('drafts')
    .where('tenant_id', '=', tenantId)
    .where('user_id', '=', createdById)
    .where('pipeline_id', '=', revision.pipelineId)
    .execute()
}

function pipelineOf(row: Selectable<Tables['pipelines']>): PipelineRow {
  return {
    id: row.id,
    name: row.name,
    description: row.description,
    labels: JSON.parse(row.labels) as Record<string, string>,
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

type RevisionSummary = Omit<Selectable<Tables['revisions']>, 'tenant_id' | 'definition' | 'text'>

function summaryOf(row: RevisionSummary): Omit<RevisionRow, 'definition' | 'text'> {
  return {
    pipelineId: row.pipeline_id,
    revision: row.revision,
    digest: row.digest,
    createdAt: row.created_at,
    createdBy: row.created_by,
    createdById: row.created_by_id,
    note: row.note,
  }
}

function revisionOf(row: Selectable<Tables['revisions']>): RevisionRow {
  return { ...summaryOf(row), definition: JSON.parse(row.definition) as Json, text: row.text }
}
