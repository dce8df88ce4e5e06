import { monotonicFactory } from 'ulid'
import type { Ids } from '@/server/ports/ids'

/** Ids that sort by creation, also within a millisecond of this process. */
export function createSystemIds(): Ids {
  const next = monotonicFactory()
  return { execution: () => next(), artifact: () => next() }
}
