import type { OperationContext } from '@/server/operations/context'

type Feed = Pick<OperationContext['orchestrator'], 'onCommit' | 'onRemoved'>

/**
 * Who waits for the end of an execution. Commits announce it, so nothing is polled; while nobody waits, nobody listens to commits.
 */
export class Endings {
  readonly #feed: Feed
  readonly #waiting = new Map<string, Set<(ended: boolean) => void>>()
  #forget: (() => void) | null = null
  #stopped = false

  constructor(feed: Feed) {
    this.#feed = feed
  }

  /** How many wait. */
  get size(): number {
    let size = 0
    for (const waiting of this.#waiting.values()) size += waiting.size
    return size
  }

  /**
   * Resolves with true when the execution has ended; with false after `ms` milliseconds, when the caller has gone away (`signal`), when
   * the execution was removed, or when the server stops. `hasEnded` reads whether it has ended already: it is asked after
   * listening began, so no end is missed. Rejects with its error. Whatever the outcome, nothing listens afterwards.
   */
  wait(
    executionId: string,
    options: {
      readonly ms: number
      readonly signal: AbortSignal
      readonly hasEnded: () => Promise<boolean>
    },
  ): Promise<boolean> {
    const { ms, signal, hasEnded } = options
    if (this.#stopped || signal.aborted) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', giveUp)
        this.#remove(executionId, finish)
      }
      const finish = (ended: boolean) => {
        leave()
        resolve(ended)
      }
      const giveUp = () => finish(false)
      const timer = setTimeout(giveUp, ms)
      signal.addEventListener('abort', giveUp)
      this.#add(executionId, finish)
      hasEnded().then(
        (ended) => (ended ? finish(true) : undefined),
        (error: unknown) => {
          leave()
          reject(error instanceof Error ? error : new Error(String(error)))
        },
      )
    })
  }

  /** Everybody stops waiting, and nobody begins to. */
  stop(): void {
    this.#stopped = true
    for (const executionId of [...this.#waiting.keys()]) this.#finish(executionId, false)
  }

  #add(executionId: string, finish: (ended: boolean) => void): void {
    const waiting = this.#waiting.get(executionId) ?? new Set()
    waiting.add(finish)
    this.#waiting.set(executionId, waiting)
    if (this.#forget !== null) return
    const forgetCommits = this.#feed.onCommit(({ executionId: id, row }) => {
      if (row !== null && row.finishedAt !== null) this.#finish(id, true)
    })
    const forgetRemovals = this.#feed.onRemoved((id) => this.#finish(id, false))
    this.#forget = () => {
      forgetCommits()
      forgetRemovals()
    }
  }

  #remove(executionId: string, finish: (ended: boolean) => void): void {
    const waiting = this.#waiting.get(executionId)
    waiting?.delete(finish)
    if (waiting?.size === 0) this.#waiting.delete(executionId)
    if (this.#waiting.size > 0) return
    this.#forget?.()
    this.#forget = null
  }

  #finish(executionId: string, ended: boolean): void {
    for (const finish of [...(this.#waiting.get(executionId) ?? [])]) finish(ended)
  }
}
