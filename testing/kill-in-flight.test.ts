import { describe, expect, it } from 'vitest'
import { killInFlight } from './kill-in-flight'

/** `PENSTOCK_KILLS_IN_FLIGHT=200x1000`: so many kills, each with so many runs. */
const [kills, runs] = (process.env['PENSTOCK_KILLS_IN_FLIGHT'] ?? '2x200').split('x').map(Number) as [
  number,
  number,
]

describe('a server that is killed under load', () => {
  it(
    `[R-3][R-12][R-57][H-13] ${kills} kills with ${runs} runs in flight: nothing acknowledged is lost, nothing completes twice`,
    async () => {
      const survival = await killInFlight({ kills, runs, seed: 1 })
      expect(survival.kills).toHaveLength(kills)
      // A kill with nothing in flight would prove nothing.
      expect(Math.max(...survival.kills.map(({ open }) => open))).toBeGreaterThan(0)
      expect(survival.runs).toBeGreaterThanOrEqual(kills * runs)
    },
    120_000 + kills * 60_000,
  )
})
