import type { AttemptKey } from '@/core/engine/input'
import type { AttemptState } from '@/core/engine/state'

/** What names an attempt to the engine; its token fences late results. */
export function keyOf(attempt: AttemptState): AttemptKey {
  const { node, generation, item, attempt: number, token } = attempt
  return { node, generation, item, attempt: number, token }
}

/** Names the work: stable over retries and lost re-dispatch; only a reset changes it. */
export function idempotencyKeyOf(
  executionId: string,
  { node, generation, item, compensates }: AttemptState,
): string {
  const part = compensates === true ? 'rollback' : (item ?? 0)
  return `${executionId}/${node}/${generation}/${part}`
}
