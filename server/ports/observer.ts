/** Hears how long the engine takes, for measurements. It decides nothing, and nothing waits for it. */
export interface EngineObserver {
  /** Milliseconds of a clock that nobody sets: only differences mean something. */
  now(): number
  /** An input has become durable and was published, so many milliseconds after it arrived. */
  transition(ms: number): void
}
