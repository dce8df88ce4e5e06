import { StoreError } from '@/server/store/store-error'

/**
 * All writers of one file, one after the other. SQLite lets one writer in at a time and a second one waits *inside the
 * driver*, synchronously: beside a transaction that is open over several turns of the event loop it would block the very
 * loop that has to end that transaction. Reads need no queue (WAL).
 */
export type WriteQueue = {
  /** Runs `job` at once when nobody writes, else in order of arrival. The next job starts when its promise has resolved or rejected. */
  run<T>(job: () => T | Promise<T>): Promise<T>
  /** Refuses new jobs (`store_closed`) and resolves when the running and waiting ones have ended. */
  close(): Promise<void>
}

export function createWriteQueue(): WriteQueue {
  const waiting: (() => void)[] = []
  let busy = false
  let closed = false

  async function take<T>(job: () => T | Promise<T>): Promise<T> {
    // Whoever ends hands over: `busy` stays true, so nobody slips in between.
    if (busy) await new Promise<void>((go) => waiting.push(go))
    busy = true
    try {
      return await job()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else busy = false
    }
  }

  return {
    async run(job) {
      if (closed) throw new StoreError('store_closed', 'The store is closed.')
      return take(job)
    },
    async close() {
      closed = true
      await take(() => undefined)
    },
  }
}
