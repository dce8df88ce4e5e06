import { describe, expect, it } from 'vitest'
import { emptyHistogram } from '@/core/objectives/histogram'
import type { Minute } from '@/core/objectives/promises'
import { IMPLEMENTATIONS } from './contract-fixtures'

const minuteOf = (minute: number, more: Partial<Minute> = {}): Minute => ({
  ...{ minute, upMs: 60_000, runs: 3, recoveryMs: null },
  parse: emptyHistogram(),
  transition: emptyHistogram().map((_, at) => at),
  ...more,
})

for (const { name, open } of IMPLEMENTATIONS) {
  describe(`measured minutes, ${name}`, () => {
    it('[H-15] are listed in order from a minute on, and bounded', async () => {
      await using store = await open()
      expect(await store.objectives.first()).toBeNull()
      for (const minute of [29_000_003, 29_000_001, 29_000_002]) await store.objectives.put(minuteOf(minute))
      expect(await store.objectives.first()).toBe(29_000_001)
      expect(await store.objectives.list({ from: 29_000_002, limit: 10 })).toEqual([
        minuteOf(29_000_002),
        minuteOf(29_000_003),
      ])
      expect(await store.objectives.list({ from: 0, limit: 1 })).toEqual([minuteOf(29_000_001)])
      await expect(store.objectives.list({ from: 0, limit: 1_441 })).rejects.toMatchObject({
        code: 'invalid_limit',
      })
    })

    it('[H-15] are replaced by a later measurement of the same minute, and removed when they are old', async () => {
      await using store = await open()
      await store.objectives.put(minuteOf(1, { recoveryMs: 420 }))
      await store.objectives.put(minuteOf(1, { upMs: 5, runs: 1_000 }))
      await store.objectives.put(minuteOf(2))
      expect(await store.objectives.list({ from: 0, limit: 10 })).toEqual([
        minuteOf(1, { upMs: 5, runs: 1_000 }),
        minuteOf(2),
      ])
      await store.objectives.prune(2)
      expect(await store.objectives.list({ from: 0, limit: 10 })).toEqual([minuteOf(2)])
    })
  })
}
