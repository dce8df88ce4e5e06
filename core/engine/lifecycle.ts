import type { ExecutionState } from './state'
import type { Lifecycle } from './view/view'

/**
 * The lifecycle of a run and its only transitions [H-12, R-63]. A final state begins again by a rerun (PENDING) or is rolled back by a person;
 * ROLLBACK is final itself when nothing is to run again. VERIFYING and ROLLBACK begin again at EXECUTING and PENDING under the next generation.
 */
export const LIFECYCLE_TRANSITIONS: Readonly<Record<Lifecycle, readonly Lifecycle[]>> = {
  PENDING: ['SCHEDULING', 'CANCELLED'],
  SCHEDULING: ['EXECUTING', 'FAILED', 'CANCELLED'],
  EXECUTING: ['VERIFYING', 'ROLLBACK', 'FAILED', 'CANCELLED'],
  VERIFYING: ['COMMIT', 'ROLLBACK', 'FAILED', 'CANCELLED', 'EXECUTING'],
  ROLLBACK: ['PENDING', 'FAILED', 'CANCELLED', 'ROLLBACK'],
  COMMIT: ['PENDING', 'ROLLBACK'],
  FAILED: ['PENDING', 'ROLLBACK'],
  CANCELLED: ['PENDING', 'ROLLBACK'],
}

/** Moves the run on. Any other transition is a broken invariant: no log that `step` produced has it. */
export function enter(state: ExecutionState, next: Lifecycle): void {
  if (!LIFECYCLE_TRANSITIONS[state.lifecycle].includes(next))
    throw new Error(`invariant: ${state.executionId} is ${state.lifecycle} and cannot become ${next}`)
  state.lifecycle = next
}
