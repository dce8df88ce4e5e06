/** Runs by status, as the API counts them. */
type Counts = { readonly [status: string]: number }

const OPEN = ['pending', 'running', 'waiting', 'paused', 'verifying', 'rolling_back'] as const

/** The sums that the overview shows. `open`: runs that have not ended. */
export function runCounts(counts: Counts) {
  const of = (status: string) => counts[status] ?? 0
  return {
    open: OPEN.reduce((sum, status) => sum + of(status), 0),
    all: Object.values(counts).reduce((sum, each) => sum + each, 0),
    running: of('running'),
    waiting: of('waiting'),
  }
}
