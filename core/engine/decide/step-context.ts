import type { Demand, Shortage } from '@/core/pipeline/definition/demand'

/** What a step may ask about things outside its execution; all of it is passed in, nothing is looked up. */
export type StepContext = {
  /** Milliseconds since the epoch; every entry of the step carries this instant. */
  readonly now: number
  /** What is missing for the execution, which now holds `held` of each pool, to take these demands too; null: they fit. */
  readonly shortage: (demands: readonly Demand[], held: ReadonlyMap<string, number>) => Shortage | null
  /** Brings the nodes that are to be looked at into the order in which they take what is free. */
  readonly arrange?: (now: number) => void
  /** May a run that begins join the runs of its pipeline (`policy.maxRunning`)? `refuse`: it may not, and is not to wait. */
  readonly admitRun: () => 'free' | 'wait' | 'refuse'
  /** Attempts that may still be computed within the steps of this batch, counted down; see `computeAttempt`. */
  readonly computing: { left: number }
  /** Ids for child executions. */
  readonly newId: () => string
}
