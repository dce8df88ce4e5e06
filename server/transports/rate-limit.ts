type Bucket = { tokens: number; at: number }

/** Token buckets by key, bounded in number: the longest unused one is forgotten first. */
export class RateLimit {
  readonly #perMs: number
  readonly #burst: number
  readonly #buckets = new Map<string, Bucket>()

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
    const bucket = this.#fill(key, now)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    if (this.#buckets.size > this.keys) {
      const oldest = this.#buckets.keys().next()
      if (!oldest.done) this.#buckets.delete(oldest.value)
    }
    const wait = this.#waitOf(bucket)
    if (wait === 0) bucket.tokens -= 1
    return wait
  }

  /** What `take` would answer, without taking. */
  wait(key: string, now: number): number {
    return this.#waitOf(this.#fill(key, now))
  }

  #fill(key: string, now: number): Bucket {
    const bucket = this.#buckets.get(key) ?? { tokens: this.#burst, at: now }
    bucket.tokens = Math.min(this.#burst, bucket.tokens + Math.max(0, now - bucket.at) * this.#perMs)
    bucket.at = now
    return bucket
  }

  #waitOf({ tokens }: Bucket): number {
    return tokens >= 1 ? 0 : Math.max(1, Math.ceil((1 - tokens) / this.#perMs / 1000))
  }
}
