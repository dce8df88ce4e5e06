/** What a step may ask of the world around one execution; all of it is given, nothing is looked up. */
export type StepContext = {
  /** Milliseconds since the epoch; every entry of the step carries this instant. */
  readonly now: number
  /** May the execution, whose attempts hold `held` slots, start one more? Answered by admission across runs. */
  readonly admits: (held: number) => boolean
  /** A run that begins asks for a place among those of its pipeline (`policy.maxRunning`). `refuse`: none is free, and it is not to wait. */
  readonly place: () => 'free' | 'wait' | 'refuse'
  /** Ids for child executions. */
  readonly newId: () => string
}
