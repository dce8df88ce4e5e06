/** What a step may ask of the world around one execution; all of it is given, nothing is looked up. */
export type StepContext = {
  /** Milliseconds since the epoch; every entry of the step carries this instant. */
  readonly now: number
  /** May the execution, whose attempts hold `held` slots, start one more? Answered by admission across runs. */
  readonly admits: (held: number) => boolean
  /** Ids for child executions. */
  readonly newId: () => string
}
