import type { IdempotencyRecord } from '@/server/ports/journal'
import type { IdempotencyStore } from '@/server/ports/registry'

export type Key = { readonly scope: string; readonly key: string; readonly requestDigest: string }

type Kept = { readonly requestDigest: string; readonly answer: Promise<unknown> }

/**
 * The same key and request again give the first answer; the same key with another request is a conflict.
 * The lookup comes before every other check. `run` has to store the record in the same commit as its effect.
 */
export function createOnce(store: IdempotencyStore) {
  const underWay = new Map<string, Kept>()

  return async function once<T>(
    key: Key | undefined,
    run: () => Promise<T>,
    again: (record: IdempotencyRecord) => T,
  ): Promise<T | 'conflict'> {
    if (key === undefined) return run()
    const id = `${key.scope}\n${key.key}`
    const other = underWay.get(id)
    if (other !== undefined) {
      if (other.requestDigest !== key.requestDigest) return 'conflict'
      await other.answer.catch(() => undefined)
      return once(key, run, again)
    }
    const answer = (async () => {
      const record = await store.find(key.scope, key.key)
      if (record === null) return run()
      return record.requestDigest === key.requestDigest ? again(record) : ('conflict' as const)
    })()
    underWay.set(id, { requestDigest: key.requestDigest, answer })
    try {
      return await answer
    } finally {
      underWay.delete(id)
    }
  }
}

export type Once = ReturnType<typeof createOnce>

/** The key was used for another request. */
export function conflict(key: string): {
  ok: false
  rejection: { code: 'idempotency_conflict'; message: string }
} {
  return {
    ok: false,
    rejection: {
      code: 'idempotency_conflict',
      message: `the idempotency key '${key}' was used for another request`,
    },
  }
}
