/** Something that is going to happen at an instant (milliseconds since the epoch). */
export type Planned<T> = { readonly at: number; readonly rank: number; readonly what: T }

/**
 * What is going to happen, soonest first; of one instant by rank, then in the order in which it was planned. As large as a rehearsal
 * at most, so a sorted list will do.
 */
export class Agenda<T> {
  readonly #planned: Planned<T>[] = []

  get next(): Planned<T> | undefined {
    return this.#planned[0]
  }

  plan(at: number, what: T, rank = Infinity): Planned<T> {
    const planned = { at, rank, what }
    let low = 0
    for (let high = this.#planned.length; low < high;) {
      const middle = (low + high) >> 1
      const other = this.#planned[middle]!
      if (other.at < at || (other.at === at && other.rank <= rank)) low = middle + 1
      else high = middle
    }
    this.#planned.splice(low, 0, planned)
    return planned
  }

  /** Takes the next out. */
  shift(): Planned<T> | undefined {
    return this.#planned.shift()
  }

  /** It does not happen after all. */
  drop(planned: Planned<T>): void {
    const index = this.#planned.indexOf(planned)
    if (index >= 0) this.#planned.splice(index, 1)
  }
}
