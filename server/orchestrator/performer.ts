import type { Effect } from '@/core/engine/wanted'
import type { Live } from './live-execution'

/** Brings about one kind of effect. Called after the commit that made the effect wanted, never before. */
export type Performer<E extends Effect> = {
  /** Brings about what is wanted; also when something else was wanted of the same work before. */
  readonly start: (live: Live, effect: E) => void
  /** It is not wanted any more. */
  readonly stop: (live: Live, effect: E) => void
}
