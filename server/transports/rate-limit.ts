/** Token buckets by key, bounded in number: the longest unused one is forgotten first. */
export class RateLimit {
  readonly #perMs: number
  readonly #burst: number
  readonly #buckets = new Map<string, { tokens: number; at: number }>()

  /**
   * @param count requests in `windowMs`, and the most at once
   * @param keys how many keys are remembered
   */
  constructor(
    count: number,
    windowMs: number,
    private readonly keys = 10_000,
  ) {
    this.#perMs = count / windowMs
    this.#burst = Math.max(1, count)
  }

  /** Takes one request of `key` at `now` (ms). Answers 0 when it may go on, else the seconds to wait (at least 1). */
  take(key: string, now: number): number {
    const known = this.#buckets.get(key)
    const bucket = known ?? { tokens: this.#burst, at: now }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + Math.max(0, now - bucket.at) * this.#perMs)
    bucket.at = now
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.keys) {
      const oldest = this.#buckets.keys().next()
      if (!oldest.done) this.#buckets.delete(oldest.value)
    }
    if (bucket.tokens >= 1) {
      bucket.tokens -= 1
      return 0
    }
    return Math.max(1, Math.ceil((1 - bucket.tokens) / this.#perMs / 1000))
  }
}
