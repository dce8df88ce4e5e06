import type { AttemptState, ExecutionState } from './state'

/** What should be in flight now, from the indexes: recovery and every step ask the same question. */
export type Wanted = {
  /** Attempts that a worker should be at. */
  readonly attempts: readonly AttemptState[]
  /** When the engine looks again by itself (milliseconds since the epoch), or null. */
  readonly wakeAt: number | null
}

export function wanted(state: ExecutionState): Wanted {
  return { attempts: [...state.inFlight.values()].filter(isWanted), wakeAt: wakeAt(state) }
}

/** The engine times `wait` itself; an attempt that is told to stop is not wanted any more. A child is work like any other. */
export function isWanted(attempt: AttemptState): boolean {
  return (attempt.placement !== 'engine' || attempt.child !== null) && !attempt.stopping
}

export function wakeAt(state: ExecutionState): number | null {
  return state.timers.next()?.dueAt ?? null
}
