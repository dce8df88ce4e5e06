import type Database from 'better-sqlite3'
import type { IdempotencyStore } from '@/server/ports/registry'
import { idempotencyOf } from './rows'
import type { IdempotencyRow } from './rows'
import type { WriteQueue } from './write-queue'

/** First answers by key. On the driver: every start with a key asks here first. */
export function createSqliteIdempotency(
  db: Database.Database,
  queue: WriteQueue,
  tenantId: string,
): IdempotencyStore {
  const find = db.prepare<[string, string, string], IdempotencyRow>(
    'SELECT scope, key, request_digest, answer FROM idempotency WHERE tenant_id = ? AND scope = ? AND key = ?',
  )
  const save = db.prepare(
    `INSERT INTO idempotency (tenant_id, scope, key, request_digest, answer) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO NOTHING`,
  )
  return {
    async find(scope, key) {
      const row = find.get(tenantId, scope, key)
      return row === undefined ? null : idempotencyOf(row)
    },
    async save(record) {
      const { scope, key, requestDigest, answer } = record
      return queue.run(
        () => save.run(tenantId, scope, key, requestDigest, JSON.stringify(answer)).changes === 1,
      )
    },
  }
}
