import type { Principal } from '@/core/engine/principal'
import { canonicalJson } from '@/core/pipeline/canonical'
import type { Json } from '@/core/engine/event'
import { createOnce } from '@/server/orchestrator/once'
import type { IdempotencyStore } from '@/server/ports/registry'
import type { OperationContext } from './context'
import { DomainError } from './domain-error'

export type Idempotency = { readonly scope: string; readonly key: string; readonly requestDigest: string }

/** SHA-256 (hex) of a JSON value in canonical form: equal content, equal digest. */
export function digestOf(ctx: OperationContext, value: unknown): string {
  return ctx.sha256(canonicalJson(value as Json))
}

/**
 * Names a keyed request: the same key of another person or for another operation is another key, and everything else that
 * the caller sent decides whether it is the same request. Null when it came without a key.
 */
export function keyed(
  ctx: OperationContext,
  caller: Principal,
  operation: string,
  { idempotency_key: key, ...request }: { readonly idempotency_key?: string | undefined },
): Idempotency | null {
  if (key === undefined) return null
  return { scope: `${operation}:${caller.id}`, key, requestDigest: digestOf(ctx, request) }
}

/**
 * The first answer to this key, or null when the key is new. Asked before any other check, so that the same key after the
 * end still gets its answer.
 * @throws DomainError `idempotency_conflict` when the key came with another request.
 */
export async function firstAnswer(ctx: OperationContext, key: Idempotency | null): Promise<Json | null> {
  if (!key) return null
  const record = await ctx.idempotency.find(key.scope, key.key)
  if (!record) return null
  if (record.requestDigest !== key.requestDigest) throw idempotencyConflict(key.key)
  return record.answer
}

export function idempotencyConflict(key: string): DomainError {
  return new DomainError(
    'idempotency_conflict',
    `The idempotency key "${key}" was already used for another request.`,
  )
}

const onces = new WeakMap<IdempotencyStore, ReturnType<typeof createOnce>>()

/**
 * Runs `work` once per key for requests that do not go through the journal. Two at the same time share the work; later ones
 * get the stored answer.
 */
export async function once<T extends { readonly [field: string]: Json }>(
  ctx: OperationContext,
  key: Idempotency | null,
  work: () => Promise<T>,
): Promise<T> {
  if (!key) return work()
  const store = ctx.idempotency
  const ofStore = onces.get(store) ?? createOnce(store)
  onces.set(store, ofStore)
  const done = async () => {
    const answer = await work()
    await store.save({ ...key, answer })
    return answer
  }
  const answer = await ofStore(key, done, (record) => record.answer as T)
  if (answer === 'conflict') throw idempotencyConflict(key.key)
  return answer
}
