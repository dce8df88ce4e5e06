import type { Kysely } from 'kysely'
import type { IdempotencyStore } from '@/server/ports/registry'
import { prepare, type Parameter } from './prepared'
import { idempotencyOf } from './rows'
import type { Tables } from './tables'

/** First answers by key. */
export function createSqlIdempotency(db: Kysely<Tables>, tenantId: string): IdempotencyStore {
  const one = prepare((scope: Parameter<string>, key: Parameter<string>) =>
    db
      .selectFrom('idempotency')
      .select(['scope', 'key', 'request_digest', 'answer'])
      .where('tenant_id', '=', tenantId)
      .where('scope', '=', scope)
      .where('key', '=', key),
  )
  return {
    async find(scope, key) {
      const [row] = (await db.executeQuery(one(scope, key))).rows
      return row === undefined ? null : idempotencyOf(row)
    },
    async save({ scope, key, requestDigest, answer }) {
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('idempotency')
        .values({
          tenant_id: tenantId,
          scope,
          key,
          request_digest: requestDigest,
          answer: JSON.stringify(answer),
        })
        .onConflict((it) => it.doNothing())
        .executeTakeFirstOrThrow()
      return numInsertedOrUpdatedRows === 1n
    },
  }
}
