/** Entries that may be made into messages without asking for a turn: a fraction of a millisecond. */
export const FEW_ENTRIES = 64

/**
 * Turns of the event loop for work that is done in parts: one part a turn over all who ask, so that requests and commits come in between
 * however many streams catch up at once.
 */
export class Turns {
  readonly #waiting: (() => void)[] = []

  /** Resolves when it is the caller's turn. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length === 1) setImmediate(this.#serve)
    })
  }

  readonly #serve = () => {
    this.#waiting.shift()?.()
    if (this.#waiting.length > 0) setImmediate(this.#serve)
  }
}
