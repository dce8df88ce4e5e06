import { describe, expect, it } from 'vitest'
import { simulate } from './simulate'

/** Seeds of one run of the suite; `PENSTOCK_SEEDS=1000-1999` chooses others. */
const [first, last] = (process.env['PENSTOCK_SEEDS'] ?? '1-50').split('-').map(Number) as [number, number]

describe('simulated worlds', () => {
  it(`[R-1][R-4][R-57][N-14] seeds ${first} to ${last}: nothing acknowledged is lost, nothing completes twice, every run ends`, async () => {
    const totals = { crashes: 0, executions: 0, entries: 0 }
    const statuses: Record<string, number> = {}
    for (let seed = first; seed <= last; seed++) {
      const report = await simulate(seed)
      totals.crashes += report.crashes
      totals.executions += report.executions
      totals.entries += report.entries
      for (const [status, count] of Object.entries(report.statuses))
        statuses[status] = (statuses[status] ?? 0) + count
    }
    // The worlds have to be worth something: crashes happened, and runs ended in every way.
    expect(totals.crashes).toBeGreaterThan(0)
    expect(Object.keys(statuses).sort()).toEqual(['cancelled', 'completed', 'failed'])
    console.log(JSON.stringify({ seeds: last - first + 1, ...totals, statuses }))
  }, 120_000)
})
