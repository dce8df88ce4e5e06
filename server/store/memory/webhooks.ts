import type { DeliveryKey, DeliveryRow, PendingDelivery, WebhookStore } from '@/server/ports/webhooks'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { parseExactInstant } from '@/core/engine/instant'
import { compareKeys, copyOf, keyOf } from './disk'
import type { MemoryDisk } from './disk'

const LIST_MAX = 1_000

const idOf = (it: DeliveryKey) => keyOf(it.executionId, String(it.seq), it.webhookId)
const ageOf = (row: DeliveryRow) => [row.createdAt, row.executionId, row.seq]
const turnOf = (row: DeliveryRow) => [row.nextAt ?? 0, row.executionId, row.seq]

/** Writes the deliveries of a commit; a webhook that was deleted meanwhile gets none. */
export function owe(disk: MemoryDisk, { webhookId, event }: PendingDelivery): void {
  if (!disk.webhooks.has(webhookId)) return
  const at = parseExactInstant(event.timestamp)
  const row: DeliveryRow = {
    webhookId,
    executionId: event.execution_id,
    seq: event.seq,
    eventType: event.type,
    status: 'pending',
    attempts: 0,
    nextAt: at,
    lastStatus: null,
    lastError: null,
    createdAt: at,
    deliveredAt: null,
  }
  disk.deliveries.set(idOf(row), row)
}

export function createMemoryWebhooks(disk: MemoryDisk): WebhookStore {
  const deliveriesOf = (webhookId: string) =>
    [...disk.deliveries.values()].filter((row) => row.webhookId === webhookId)

  return {
    async insert(row, most) {
      if (disk.webhooks.size >= most) return false
      disk.webhooks.set(row.webhookId, copyOf(row))
      return true
    },
    async get(webhookId) {
      return copyOf(disk.webhooks.get(webhookId) ?? null)
    },
    async list(range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : readCursor(range.cursor, ['string'])
      const found = [...disk.webhooks.values()].filter((row) => row.webhookId > String(after))
      const inOrder = found.sort((a, b) => compareKeys([a.webhookId], [b.webhookId]))
      return copyOf(pageOf(inOrder, limit, (row) => [row.webhookId]))
    },
    async update(row) {
      if (!disk.webhooks.has(row.webhookId)) return false
      disk.webhooks.set(row.webhookId, copyOf(row))
      return true
    },
    async remove(webhookId) {
      for (const row of deliveriesOf(webhookId)) disk.deliveries.delete(idOf(row))
      return disk.webhooks.delete(webhookId)
    },
    async deliveries(webhookId, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const shape = ['number', 'string', 'number'] as const
      const before = range.cursor === undefined ? null : readCursor(range.cursor, shape)
      const found = deliveriesOf(webhookId)
        .filter((row) => range.status === undefined || row.status === range.status)
        .filter((row) => before === null || compareKeys(ageOf(row), before) < 0)
        .sort((a, b) => compareKeys(ageOf(b), ageOf(a)))
      return copyOf(pageOf(found, limit, ageOf))
    },
    async delivery(key) {
      return copyOf(disk.deliveries.get(idOf(key)) ?? null)
    },
    async pending(webhookId, limit) {
      const found = deliveriesOf(webhookId).filter((row) => row.status === 'pending')
      found.sort((a, b) => compareKeys(turnOf(a), turnOf(b)))
      return copyOf(found.slice(0, requireLimit(limit, LIST_MAX)))
    },
    async record(rows) {
      for (const row of rows) if (disk.deliveries.has(idOf(row))) disk.deliveries.set(idOf(row), copyOf(row))
    },
    async forgetDelivered(before, limit) {
      const old = [...disk.deliveries.values()].filter(
        (row) => row.status === 'delivered' && row.createdAt < before,
      )
      const gone = old.slice(0, requireLimit(limit, 10_000))
      for (const row of gone) disk.deliveries.delete(idOf(row))
      return gone.length
    },
  }
}
