import { describe, expect, it } from 'vitest'
import { bestMakespan, fifoMakespan, lowerBound, ownMakespan, randomProblem } from '@/testing/makespan'
import { Random } from '@/testing/simulation/random'

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

describe('the order against the best one', () => {
  it('the optimum of small cases is known', () => {
    const work = (duration: number, after: number[] = [], gpu = 0) => ({
      duration: duration * 1_000,
      after,
      demands: { slots: 1, ...(gpu === 0 ? {} : { gpu }) },
    })
    // First come, first served begins with the short ones, and the long chain ends late.
    const chain = { works: [work(2), work(2), work(1), work(4, [2])], capacities: { slots: 2 } }
    expect([bestMakespan(chain), ownMakespan(chain), fifoMakespan(chain)]).toEqual([5_000, 5_000, 7_000])
    // Two that need the gpu follow each other, and the third goes beside them.
    const gpus = { works: [work(3, [], 1), work(3, [], 1), work(6)], capacities: { slots: 2, gpu: 1 } }
    expect([bestMakespan(gpus), ownMakespan(gpus)]).toEqual([6_000, 6_000])
  })

  it('[H-4][H-5] is within 5 % of the optimum on average on random graphs with several resources, and no worse than first come, first served', () => {
    const ratios: number[] = []
    const fifo: number[] = []
    const until = performance.now() + 6_000
    for (let seed = 1; seed <= 3_000 && performance.now() < until; seed += 1) {
      const random = new Random(seed)
      const problem = randomProblem(random, random.whole(2, 8))
      const best = bestMakespan(problem)
      if (best === null) continue
      const own = ownMakespan(problem)
      expect(own, `seed ${seed}`).toBeGreaterThanOrEqual(best)
      expect(best, `seed ${seed}`).toBeGreaterThanOrEqual(lowerBound(problem))
      ratios.push(own / best)
      fifo.push(fifoMakespan(problem) / best)
    }
    expect(ratios.length).toBeGreaterThan(50)
    expect(mean(ratios)).toBeLessThanOrEqual(1.05)
    expect(mean(ratios)).toBeLessThanOrEqual(mean(fifo))
  })

  it('[H-4][H-5] is never worse than first come, first served on average on larger graphs', () => {
    const own: number[] = []
    const fifo: number[] = []
    for (let seed = 1; seed <= 60; seed += 1) {
      const problem = randomProblem(new Random(seed), 60, 8)
      const bound = lowerBound(problem)
      own.push(ownMakespan(problem) / bound)
      fifo.push(fifoMakespan(problem) / bound)
    }
    expect(mean(own)).toBeLessThanOrEqual(mean(fifo))
  })
})
