/** Time and the order of work. The simulation replaces it; nothing else in the server may ask the system for the time of a decision. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number
  /** Calls `wake` at or soon after `at` (never before). Returns the way to call it off. */
  at(at: number, wake: () => void): () => void
  /**
   * Calls `wake` when `ms` milliseconds have passed, whoever sets the clock meanwhile. For limits and rounds of work: `at` would wait
   * for as long as the clock was set back. Returns the way to call it off.
   */
  after(ms: number, wake: () => void): () => void
  /** Calls `run` after everything that has already arrived was handed over (one turn of the event loop). */
  defer(run: () => void): void
}
