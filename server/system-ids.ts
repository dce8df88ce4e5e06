import { randomFillSync } from 'node:crypto'
import { monotonicFactory } from 'ulid'
import type { Ids } from '@/server/ports/ids'

/** Ids that sort by creation, also within a millisecond of this process. */
export function createSystemIds(): Ids {
  const next = monotonicFactory(createRandom())
  return { execution: () => next(), artifact: () => next() }
}

/** Numbers in [0, 1) from the system's randomness, drawn a pool at a time: an id takes sixteen of them. */
function createRandom(): () => number {
  const pool = new Uint8Array(4_096)
  let used = pool.length
  return () => {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const byte = pool[used] ?? 0
    used += 1
    return byte / 256
  }
}
