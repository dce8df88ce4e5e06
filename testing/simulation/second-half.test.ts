import { describe, it } from 'vitest'
import { HALVES, patienceMs, checkWorlds } from './seeds'

const seeds = HALVES[1]

describe('simulated worlds', () => {
  it(
    `[R-1][R-3][R-4][R-5][R-12][R-53][R-57][R-66][R-67][R-70][R-72][R-73][N-14] seeds ${seeds.first} to ${seeds.last}: nothing acknowledged is lost, nothing completes twice, no timer is early, every run ends as the oracle says`,
    () => checkWorlds(seeds),
    patienceMs,
  )
})
