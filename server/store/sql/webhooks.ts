import type { Kysely, Selectable } from 'kysely'
import type { DeliveryRow, DeliveryStatus, WebhookRow, WebhookStore } from '@/server/ports/webhooks'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import type { Tables } from './tables'

const LIST_MAX = 1_000
/** Deliveries that one transaction deletes: commits wait for no more than these. */
const SLICE = 5_000
/** Later than every row: where a list that begins with the newest begins. */
const END = [Number.MAX_SAFE_INTEGER, '', 0] as const

/** Webhooks and their deliveries, one for each event that goes to a webhook. */
export function createSqlWebhooks(db: Kysely<Tables>, tenantId: string): WebhookStore {
  const webhooks = db.selectFrom('webhooks').where('tenant_id', '=', tenantId)
  return {
    insert: (row, most) =>
      db.transaction().execute(async (tx) => {
        const { count } = await tx
          .selectFrom('webhooks')
          .select((it) => it.fn.countAll<number>().as('count'))
          .where('tenant_id', '=', tenantId)
          .executeTakeFirstOrThrow()
        if (count >= most) return false
        await tx
          .insertInto('webhooks')
          .values({ tenant_id: tenantId, webhook_id: row.webhookId, ...columnsOf(row) })
          .execute()
        return true
      }),

    async get(webhookId) {
      const row = await webhooks.selectAll().where('webhook_id', '=', webhookId).executeTakeFirst()
      return row === undefined ? null : webhookOf(row)
    },

    async list({ cursor, ...range }) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = cursor === undefined ? [] : readCursor(cursor, ['string'])
      const rows = await webhooks
        .selectAll()
        .where('webhook_id', '>', String(after))
        .orderBy('webhook_id')
        .limit(limit + 1)
        .execute()
      return pageOf(rows.map(webhookOf), limit, (row) => [row.webhookId])
    },

    async update(row) {
      const { numUpdatedRows } = await db
        .updateTable('webhooks')
        .set(columnsOf(row))
        .where('tenant_id', '=', tenantId)
        .where('webhook_id', '=', row.webhookId)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async remove(webhookId) {
      for (;;) {
        const removed = await db.transaction().execute((tx) => removeSome(tx, tenantId, webhookId))
        if (removed !== 'more') return removed
      }
    },

    ...createDeliveries(db, tenantId),
  }
}

type Deliveries = Pick<WebhookStore, 'deliveries' | 'delivery' | 'pending' | 'record' | 'forgetDelivered'>

function createDeliveries(db: Kysely<Tables>, tenantId: string): Deliveries {
  const rows = db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .$narrowType<{ status: DeliveryStatus }>()
    .where('tenant_id', '=', tenantId)
  return {
    async deliveries(webhookId, { cursor, status, ...range }) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [createdAt = 0, executionId = '', seq = 0] =
        cursor === undefined ? END : readCursor(cursor, ['number', 'string', 'number'])
      // An index for each status gives the newest of all of them as well.
      const statuses: readonly DeliveryStatus[] =
        status === undefined ? ['pending', 'delivered', 'dead'] : [status]
      const newest = statuses.map((one) =>
        rows
          .where('webhook_id', '=', webhookId)
          .where('status', '=', one)
          .where((it) =>
            it(
              it.refTuple('created_at', 'execution_id', 'seq'),
              '<',
              it.tuple(Number(createdAt), String(executionId), Number(seq)),
            ),
          )
          .orderBy('created_at', 'desc')
          .orderBy('execution_id', 'desc')
          .orderBy('seq', 'desc')
          .limit(limit + 1)
          .execute(),
      )
      const found = (await Promise.all(newest)).flat().map(deliveryOf)
      return pageOf(found.sort(newestFirst), limit, (row) => [row.createdAt, row.executionId, row.seq])
    },

    async delivery({ executionId, seq, webhookId }) {
      const row = await rows
        .where('execution_id', '=', executionId)
        .where('seq', '=', seq)
        .where('webhook_id', '=', webhookId)
        .executeTakeFirst()
      return row === undefined ? null : deliveryOf(row)
    },

    async pending(webhookId, limit) {
      const due = await rows
        .where('webhook_id', '=', webhookId)
        .where('next_at', 'is not', null)
        .orderBy('next_at')
        .orderBy('execution_id')
        .orderBy('seq')
        .limit(requireLimit(limit, LIST_MAX))
        .execute()
      return due.map(deliveryOf)
    },

    async record(changed) {
      await db.transaction().execute(async (tx) => {
        for (const row of changed) await updateDelivery(tx, tenantId, row)
      })
    },

    async forgetDelivered(before, limit) {
      const { numDeletedRows } = await db
        .deleteFrom('webhook_deliveries')
        .where((it) =>
          it(
            it.refTuple('execution_id', 'seq', 'webhook_id'),
            'in',
            it
              .selectFrom('webhook_deliveries')
              .select(['execution_id', 'seq', 'webhook_id'])
              .where('tenant_id', '=', tenantId)
              .where('webhook_id', 'in', (of) =>
                of.selectFrom('webhooks').select('webhook_id').where('tenant_id', '=', tenantId),
              )
              .where('status', '=', 'delivered')
              .where('created_at', '<', before)
              .limit(requireLimit(limit, 10_000))
              .$asTuple('execution_id', 'seq', 'webhook_id'),
          ),
        )
        .executeTakeFirstOrThrow()
      return Number(numDeletedRows)
    },
  }
}

async function updateDelivery(tx: Kysely<Tables>, tenantId: string, row: DeliveryRow): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({
      status: row.status,
      attempts: row.attempts,
      next_at: row.nextAt,
      last_status: row.lastStatus,
      last_error: row.lastError,
      delivered_at: row.deliveredAt,
    })
    .where('tenant_id', '=', tenantId)
    .where('execution_id', '=', row.executionId)
    .where('seq', '=', row.seq)
    .where('webhook_id', '=', row.webhookId)
    .execute()
}

/**
 * Deletes a slice of the deliveries of a webhook, and the webhook with the last of them: after a crash on the way it is still there
 * and can be deleted again. Answers `more`, or whether there was such a webhook.
 */
async function removeSome(
  tx: Kysely<Tables>,
  tenantId: string,
  webhookId: string,
): Promise<'more' | boolean> {
  const { numDeletedRows: deliveries } = await tx
    .deleteFrom('webhook_deliveries')
    .where((it) =>
      it(
        it.refTuple('execution_id', 'seq', 'webhook_id'),
        'in',
        it
          .selectFrom('webhook_deliveries')
          .select(['execution_id', 'seq', 'webhook_id'])
          .where('tenant_id', '=', tenantId)
          .where('webhook_id', '=', webhookId)
          .limit(SLICE)
          .$asTuple('execution_id', 'seq', 'webhook_id'),
      ),
    )
    .executeTakeFirstOrThrow()
  if (deliveries === BigInt(SLICE)) return 'more'
  const { numDeletedRows } = await tx
    .deleteFrom('webhooks')
    .where('tenant_id', '=', tenantId)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirstOrThrow()
  return numDeletedRows === 1n
}

function newestFirst(a: DeliveryRow, b: DeliveryRow): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt
  if (a.executionId !== b.executionId) return a.executionId < b.executionId ? 1 : -1
  return b.seq - a.seq
}

function deliveryOf(
  row: Selectable<Tables['webhook_deliveries']> & { readonly status: DeliveryStatus },
): DeliveryRow {
  return {
    webhookId: row.webhook_id,
    executionId: row.execution_id,
    seq: row.seq,
    eventType: row.event_type,
    status: row.status,
    attempts: row.attempts,
    nextAt: row.next_at,
    lastStatus: row.last_status,
    lastError: row.last_error,
    createdAt: row.created_at,
    deliveredAt: row.delivered_at,
  }
}

function columnsOf(row: WebhookRow) {
  return {
    url: row.url,
    event_types: JSON.stringify(row.eventTypes),
    pipeline_id: row.pipelineId,
    retry: JSON.stringify(row.retry),
    active: row.active,
    secret: row.secret,
    previous_secret: row.previousSecret,
    previous_until: row.previousUntil,
    created_at: row.createdAt,
    created_by: row.createdBy,
    created_by_id: row.createdById,
    updated_at: row.updatedAt,
  }
}

function webhookOf(row: Selectable<Tables['webhooks']>): WebhookRow {
  return {
    webhookId: row.webhook_id,
    url: row.url,
    eventTypes: JSON.parse(row.event_types) as string[],
    pipelineId: row.pipeline_id,
    retry: JSON.parse(row.retry) as WebhookRow['retry'],
    active: Boolean(row.active),
    secret: row.secret,
    previousSecret: row.previous_secret,
    previousUntil: row.previous_until,
    createdAt: row.created_at,
    createdBy: row.created_by,
    createdById: row.created_by_id,
    updatedAt: row.updated_at,
  }
}
