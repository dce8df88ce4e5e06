import type Database from 'better-sqlite3'
import type { PrismaClient, Webhook } from '@/generated/prisma/client'
import type { DeliveryRow, DeliveryStatus, WebhookRow, WebhookStore } from '@/server/ports/webhooks'
import { requireLimit } from '@/server/store/bounds'
import { decodeCursor, pageOf } from '@/server/store/cursor'
import type { WriteQueue } from './write-queue'

const LIST_MAX = 1_000
/** Deliveries that one job of the queue deletes: commits wait for no more than these. */
const SLICE = 5_000
/** Later than every row: where a list that begins with the newest begins. */
const END = [Number.MAX_SAFE_INTEGER, '', 0] as const

const COLUMNS = `webhook_id AS webhookId, execution_id AS executionId, seq, event_type AS eventType, status, attempts,
  next_at AS nextAt, last_status AS lastStatus, last_error AS lastError, created_at AS createdAt, delivered_at AS deliveredAt`

type Place = readonly (string | number)[]

/** Webhooks through Prisma; their deliveries, of which there is one an event, through the driver. */
export function createSqliteWebhooks(
  db: Database.Database,
  prisma: PrismaClient,
  queue: WriteQueue,
  tenantId: string,
): WebhookStore {
  const keyOf = (webhookId: string) => ({ tenantId_webhookId: { tenantId, webhookId } })
  const newest = db.prepare<(string | number)[], DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_deliveries
     WHERE tenant_id = ? AND webhook_id = ? AND status = ? AND (created_at, execution_id, seq) < (?, ?, ?)
     ORDER BY created_at DESC, execution_id DESC, seq DESC LIMIT ?`,
  )
  const one = db.prepare<[string, string, number, string], DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_deliveries
     WHERE tenant_id = ? AND execution_id = ? AND seq = ? AND webhook_id = ?`,
  )
  const firstDue = db.prepare<[string, string, number], DeliveryRow>(
    `SELECT ${COLUMNS} FROM webhook_deliveries WHERE tenant_id = ? AND webhook_id = ? AND next_at IS NOT NULL
     ORDER BY next_at, execution_id, seq LIMIT ?`,
  )
  const update = db.prepare(
    `UPDATE webhook_deliveries SET status = @status, attempts = @attempts, next_at = @nextAt, last_status = @lastStatus,
       last_error = @lastError, delivered_at = @deliveredAt
     WHERE tenant_id = @tenantId AND execution_id = @executionId AND seq = @seq AND webhook_id = @webhookId`,
  )
  const record = db.transaction((rows: readonly DeliveryRow[]) => {
    for (const row of rows) update.run({ ...row, tenantId })
  })
  const removeSlice = db.prepare(
    `DELETE FROM webhook_deliveries WHERE (execution_id, seq, webhook_id) IN
       (SELECT execution_id, seq, webhook_id FROM webhook_deliveries WHERE tenant_id = ? AND webhook_id = ? LIMIT ${SLICE})`,
  )
  const removeWebhook = db.prepare('DELETE FROM webhooks WHERE tenant_id = ? AND webhook_id = ?')
  const forget = db.prepare(
    `DELETE FROM webhook_deliveries WHERE (execution_id, seq, webhook_id) IN
       (SELECT execution_id, seq, webhook_id FROM webhook_deliveries
        WHERE tenant_id = @tenantId AND webhook_id IN (SELECT webhook_id FROM webhooks WHERE tenant_id = @tenantId)
          AND status = 'delivered' AND created_at < @before LIMIT @limit)`,
  )
  /** The webhook goes with the last of its deliveries, in one transaction: a crash on the way leaves it whole enough to be deleted again. */
  const removeLast = db.transaction((webhookId: string): 'more' | boolean => {
    if (removeSlice.run(tenantId, webhookId).changes === SLICE) return 'more'
    return removeWebhook.run(tenantId, webhookId).changes === 1
  })

  return {
    insert(row, most) {
      return queue.run(async () => {
        if ((await prisma.webhook.count({ where: { tenantId } })) >= most) return false
        await prisma.webhook.create({ data: { tenantId, webhookId: row.webhookId, ...columnsOf(row) } })
        return true
      })
    },

    async get(webhookId) {
      const row = await prisma.webhook.findUnique({ where: keyOf(webhookId) })
      return row === null ? null : webhookOf(row)
    },

    async list(range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : decodeCursor(range.cursor, ['string'])
      const rows = await prisma.webhook.findMany({
        where: { tenantId, webhookId: { gt: String(after) } },
        orderBy: { webhookId: 'asc' },
        take: limit + 1,
      })
      return pageOf(rows.map(webhookOf), limit, (row) => [row.webhookId])
    },

    update(row) {
      return queue.run(async () => {
        const where = { tenantId, webhookId: row.webhookId }
        const { count } = await prisma.webhook.updateMany({ where, data: columnsOf(row) })
        return count === 1
      })
    },

    async remove(webhookId) {
      for (;;) {
        const removed = await queue.run(() => removeLast.immediate(webhookId))
        if (removed !== 'more') return removed
      }
    },

    async deliveries(webhookId, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const before: Place =
        range.cursor === undefined ? END : decodeCursor(range.cursor, ['number', 'string', 'number'])
      // An index for each status gives the newest of all of them as well.
      const statuses: readonly DeliveryStatus[] =
        range.status === undefined ? ['pending', 'delivered', 'dead'] : [range.status]
      const rows = statuses.flatMap((status) => newest.all(tenantId, webhookId, status, ...before, limit + 1))
      return pageOf(rows.sort(newestFirst), limit, (row) => [row.createdAt, row.executionId, row.seq])
    },

    async delivery({ executionId, seq, webhookId }) {
      return one.get(tenantId, executionId, seq, webhookId) ?? null
    },

    async pending(webhookId, limit) {
      return firstDue.all(tenantId, webhookId, requireLimit(limit, LIST_MAX))
    },

    async record(rows) {
      await queue.run(() => record.immediate(rows))
    },

    async forgetDelivered(before, limit) {
      return queue.run(() => forget.run({ tenantId, before, limit: requireLimit(limit, 10_000) }).changes)
    },
  }
}

function newestFirst(a: DeliveryRow, b: DeliveryRow): number {
  if (a.createdAt !== b.createdAt) return b.createdAt - a.createdAt
  if (a.executionId !== b.executionId) return a.executionId < b.executionId ? 1 : -1
  return b.seq - a.seq
}

function columnsOf(row: WebhookRow): Omit<Webhook, 'tenantId' | 'webhookId'> {
  return {
    url: row.url,
    eventTypes: JSON.stringify(row.eventTypes),
    pipelineId: row.pipelineId,
    retry: JSON.stringify(row.retry),
    active: row.active,
    secret: row.secret,
    previousSecret: row.previousSecret,
    previousUntil: row.previousUntil === null ? null : BigInt(row.previousUntil),
    createdAt: BigInt(row.createdAt),
    createdBy: row.createdBy,
    createdById: row.createdById,
    updatedAt: BigInt(row.updatedAt),
  }
}

function webhookOf({ tenantId: _tenantId, ...row }: Webhook): WebhookRow {
  return {
    ...row,
    eventTypes: JSON.parse(row.eventTypes) as string[],
    retry: JSON.parse(row.retry) as WebhookRow['retry'],
    previousUntil: row.previousUntil === null ? null : Number(row.previousUntil),
    createdAt: Number(row.createdAt),
    updatedAt: Number(row.updatedAt),
  }
}
