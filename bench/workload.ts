/** One measured figure beside the limit that was measured in the same run. */
export type Row = {
  readonly name: string
  readonly figure: string
  /** What the machine can do at best for the same bytes, measured just before or after. */
  readonly limit: string
  readonly ratio: number | null
  readonly goal: string
}

export type Workload = {
  readonly id: string
  readonly title: string
  /** Its rows, all at once or as they are measured. */
  run(): Promise<Row[]> | AsyncIterable<Row>
}

/** The value below which `share` (0 to 1) of the numbers lie. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
}

export const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 1)} ms`
export const perSecond = (value: number, what: string) =>
  `${Math.round(value).toLocaleString('en')} ${what}/s`
