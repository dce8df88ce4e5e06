/** Hears of evaluations, for measurements. It has the clock, since core has none, and changes no result. */
export type EvaluationWatch = {
  /** Milliseconds of a clock that nobody sets. */
  now(): number
  /** An expression that is more than the name of a variable was evaluated. */
  evaluated(ms: number, ok: boolean): void
  /** So many variables were looked up. */
  read(variables: number): void
}

let current: EvaluationWatch | null = null

/** Who hears of evaluations; null: nobody. */
export const evaluationWatch = (): EvaluationWatch | null => current

/** Has `watch` hear of every evaluation in this process from now on, until the answer is called. */
export function watchEvaluations(watch: EvaluationWatch): () => void {
  current = watch
  return () => {
    if (current === watch) current = null
  }
}
