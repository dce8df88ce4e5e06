import type { Demand, Lack } from '@/core/pipeline/definition/demand'

/** What a step may ask of the world around one execution; all of it is given, nothing is looked up. */
export type StepContext = {
  /** Milliseconds since the epoch; every entry of the step carries this instant. */
  readonly now: number
  /** What the execution, which now holds `held` of each pool, lacks to take these demands too; null: they fit. */
  readonly lack: (demands: readonly Demand[], held: ReadonlyMap<string, number>) => Lack | null
  /** May a run that begins join the runs of its pipeline (`policy.maxRunning`)? `refuse`: it may not, and is not to wait. */
  readonly admitRun: () => 'free' | 'wait' | 'refuse'
  /** Attempts that may still be computed within the steps of this batch, counted down; see `computeAttempt`. */
  readonly computing: { left: number }
  /** Ids for child executions. */
  readonly newId: () => string
}
