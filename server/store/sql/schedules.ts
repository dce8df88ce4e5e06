import type { Kysely, Selectable } from 'kysely'
import type { PlannedSchedule, ScheduleRow, ScheduleStore } from '@/server/ports/schedules'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { scheduleOf } from '@/server/store/planned-schedule'
import type { Tables } from './tables'

const LIST_MAX = 1_000

export function createSqlSchedules(db: Kysely<Tables>, tenantId: string): ScheduleStore {
  const ofTenant = db.selectFrom('schedules').where('tenant_id', '=', tenantId)

  async function get(pipelineId: string, triggerId: string): Promise<ScheduleRow | null> {
    const row = await ofTenant
      .selectAll()
      .where('pipeline_id', '=', pipelineId)
      .where('trigger_id', '=', triggerId)
      .executeTakeFirst()
    return row === undefined ? null : rowOf(row)
  }

  return {
    async list({ limit, cursor, pipelineId }) {
      requireLimit(limit, LIST_MAX)
      const [afterPipeline = '', afterTrigger = ''] =
        cursor === undefined ? [] : readCursor(cursor, ['string', 'string']).map(String)
      let query = ofTenant
        .selectAll()
        .where((it) =>
          it(it.refTuple('pipeline_id', 'trigger_id'), '>', it.tuple(afterPipeline, afterTrigger)),
        )
      if (pipelineId !== undefined) query = query.where('pipeline_id', '=', pipelineId)
      const rows = await query
        .orderBy('pipeline_id')
        .orderBy('trigger_id')
        .limit(limit + 1)
        .execute()
      return pageOf(rows.map(rowOf), limit, (row) => [row.pipelineId, row.triggerId])
    },
    async due(now, limit) {
      const rows = await ofTenant
        .selectAll()
        .where('next_at', '<=', now)
        .orderBy('next_at')
        .orderBy('pipeline_id')
        .orderBy('trigger_id')
        .limit(requireLimit(limit, LIST_MAX))
        .execute()
      return rows.map(rowOf)
    },
    async earliest() {
      const row = await ofTenant
        .select('next_at')
        .where('next_at', 'is not', null)
        .orderBy('next_at')
        .limit(1)
        .executeTakeFirst()
      return row?.next_at ?? null
    },
    async fired({ pipelineId, triggerId, nextAt }, then) {
      const { numUpdatedRows } = await db
        .updateTable('schedules')
        .set({
          next_at: then.nextAt,
          last_at: then.lastAt,
          last_execution_id: then.lastExecutionId,
          last_error: then.lastError,
        })
        .where('tenant_id', '=', tenantId)
        .where('pipeline_id', '=', pipelineId)
        .where('trigger_id', '=', triggerId)
        .where('next_at', nextAt === null ? 'is' : '=', nextAt)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },
    async setNext(pipelineId, triggerId, nextAt) {
      await db
        .updateTable('schedules')
        .set({ active: nextAt !== null, next_at: nextAt })
        .where('tenant_id', '=', tenantId)
        .where('pipeline_id', '=', pipelineId)
        .where('trigger_id', '=', triggerId)
        .execute()
      return get(pipelineId, triggerId)
    },
    get,
  }
}

/** Replaces the schedules of a pipeline by those of its new revision, within the transaction that stores it. */
export async function replaceSchedules(
  tx: Kysely<Tables>,
  tenantId: string,
  pipelineId: string,
  planned: readonly PlannedSchedule[],
): Promise<void> {
  const ofPipeline = await tx
    .selectFrom('schedules')
    .selectAll()
    .where('tenant_id', '=', tenantId)
    .where('pipeline_id', '=', pipelineId)
    .execute()
  const before = new Map(ofPipeline.map((row) => [row.trigger_id, rowOf(row)]))
  const declared = new Set(planned.map(({ triggerId }) => triggerId))
  for (const triggerId of before.keys()) {
    if (declared.has(triggerId)) continue
    await tx
      .deleteFrom('schedules')
      .where('tenant_id', '=', tenantId)
      .where('pipeline_id', '=', pipelineId)
      .where('trigger_id', '=', triggerId)
      .execute()
  }
  for (const one of planned) {
    const { nextAt, ...rest } = scheduleOf(one, before.get(one.triggerId) ?? null)
    const columns = { ...rest, next_at: nextAt }
    await tx
      .insertInto('schedules')
      .values({ tenant_id: tenantId, pipeline_id: pipelineId, trigger_id: one.triggerId, ...columns })
      .onConflict((it) => it.columns(['tenant_id', 'pipeline_id', 'trigger_id']).doUpdateSet(columns))
      .execute()
  }
}

function rowOf(row: Selectable<Tables['schedules']>): ScheduleRow {
  return {
    pipelineId: row.pipeline_id,
    triggerId: row.trigger_id,
    cron: row.cron,
    timezone: row.timezone,
    enabled: Boolean(row.enabled),
    active: Boolean(row.active),
    nextAt: row.next_at,
    lastAt: row.last_at,
    lastExecutionId: row.last_execution_id,
    lastError: row.last_error,
  }
}
