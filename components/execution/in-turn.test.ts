import { describe, expect, it } from 'vitest'
import { inTurn } from './in-turn'

describe('the same for many', () => {
  it('is done a few at a time, each once, and failures are answered in order', async () => {
    const all = Array.from({ length: 25 }, (_, at) => at)
    const seen: number[] = []
    const progress: number[] = []
    let busy = 0
    let most = 0
    const failures = await inTurn(
      all,
      async (one) => {
        most = Math.max(most, (busy += 1))
        await new Promise((resolve) => setImmediate(resolve))
        busy -= 1
        seen.push(one)
        if (one % 10 === 3) throw new Error(`no ${one}`)
      },
      (done) => progress.push(done),
    )
    expect(seen.toSorted((a, b) => a - b)).toEqual(all)
    expect(progress).toEqual(all.map((at) => at + 1))
    expect(most).toBe(4)
    expect(failures.map(({ of, error }) => [of, (error as Error).message])).toEqual([
      [3, 'no 3'],
      [13, 'no 13'],
      [23, 'no 23'],
    ])
    expect(
      await inTurn(
        [],
        () => Promise.reject(new Error()),
        () => {},
      ),
    ).toEqual([])
  })
})
