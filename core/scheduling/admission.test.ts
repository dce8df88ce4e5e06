import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AGEING_MS, Admission, rankOf, type Candidate } from './admission'

const candidate = (id: string, priority: number, queuedAt: number): Candidate => ({
  executionId: id,
  nodeId: 'n',
  priority,
  queuedAt,
})

describe('admission', () => {
  it('admits while slots are free and nobody waits', () => {
    const admission = new Admission(2)
    expect(admission.admits(0, 0)).toBe(true)
    admission.settle(0, 1)
    expect(admission.admits(0, 0)).toBe(true)
    expect(admission.admits(0, 1)).toBe(false)
    admission.settle(0, 1)
    expect(admission.admits(0, 0)).toBe(false)
    admission.settle(1, 0)
    admission.wait(candidate('x', 0, 0))
    expect(admission.admits(0, 0)).toBe(false)
    expect(admission.next()).toMatchObject({ executionId: 'x' })
    expect(admission.admits(0, 0)).toBe(true)
  })

  it('an execution whose own slot became free in the same step may use it', () => {
    const admission = new Admission(1)
    admission.settle(0, 1)
    expect(admission.admits(1, 0)).toBe(true)
  })

  it('a step of priority is worth a minute of waiting: nobody starves', () => {
    const old = candidate('old', 0, 0)
    const urgent = candidate('urgent', 5, 5 * AGEING_MS - 1)
    const tooLate = candidate('late', 5, 5 * AGEING_MS + 1)
    expect(rankOf(urgent)).toBeLessThan(rankOf(old))
    expect(rankOf(tooLate)).toBeGreaterThan(rankOf(old))
  })

  it('hands out the queue in order of rank, then of arrival, and forgets who left', () => {
    const arrivals = fc.array(
      fc.record({
        priority: fc.integer({ min: 0, max: 9 }),
        queuedAt: fc.integer({ min: 0, max: 1_000_000 }),
        leaves: fc.boolean(),
      }),
    )
    fc.assert(
      fc.property(arrivals, (list) => {
        const admission = new Admission(Infinity)
        const all = list.map(({ priority, queuedAt }, index) => candidate(`x${index}`, priority, queuedAt))
        for (const one of all) admission.wait(one)
        list.forEach(({ leaves }, index) => leaves && admission.leave(`x${index}`, 'n'))
        const expected = all
          .filter((_, index) => !list[index]!.leaves)
          .toSorted((a, b) => rankOf(a) - rankOf(b))
        expect(admission.queue()).toEqual(expected)
        const served: Candidate[] = []
        for (let next = admission.next(); next !== null; next = admission.next()) served.push(next)
        expect(served).toEqual(expected)
      }),
    )
  })
})
