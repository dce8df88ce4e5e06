import type { Minute } from '@/core/objectives/promises'

/** What was measured of the promises, a row a minute. */
export interface ObjectiveStore {
  /** Minutes from `from` on, in order; at most 1,440. Minutes since the epoch. */
  list(range: { readonly from: number; readonly limit: number }): Promise<readonly Minute[]>
  /** The first minute that is stored; null: there is none. */
  first(): Promise<number | null>
  /** Stores a minute in place of what is stored of it. */
  put(minute: Minute): Promise<void>
  /** Removes the minutes before `before`. */
  prune(before: number): Promise<void>
}
