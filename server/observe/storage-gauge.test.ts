import { tmpdir } from 'node:os'
import { describe, expect, it } from 'vitest'
import { createStorageGauge } from './storage-gauge'

const MB = 1024 * 1024

describe('the storage gauge', () => {
  it('[R-61] warns once at 80 % and once at 100 %, and again after it was better', async () => {
    const warnings: string[] = []
    let bytes = 0
    let now = 0
    const gauge = createStorageGauge({
      size: async () => ({ databaseBytes: bytes, walBytes: 0 }),
      dataDir: tmpdir(),
      maxDatabaseMb: 100,
      now: () => now,
      warn: (message) => warnings.push(message),
    })
    const levelAt = async (megabytes: number) => {
      bytes = megabytes * MB
      now += 1_000
      return (await gauge.use()).level
    }
    const room = await levelAt(79)
    expect([await levelAt(81), await levelAt(90), await levelAt(100), await levelAt(101)]).toEqual([
      'near',
      'near',
      'full',
      'full',
    ])
    expect(warnings.at(-1)).toBe(
      'the database has 100 MB of 100 MB (PENSTOCK_MAX_DATABASE_MB): no new runs are taken',
    )
    expect(await levelAt(10)).toBe(room)
    expect(await levelAt(85)).toBe('near')
    expect(warnings.filter((line) => line.startsWith('the database has 8'))).toHaveLength(2)
  })

  it('without a budget nothing is ever full, and an answer of the last second is given again', async () => {
    let asked = 0
    const gauge = createStorageGauge({
      size: async () => ({ databaseBytes: (asked += 1) * 1e15, walBytes: 5 }),
      dataDir: '/nowhere/at/all',
      maxDatabaseMb: 0,
      now: () => 1,
      warn: () => undefined,
    })
    await gauge.use()
    expect(await gauge.use()).toEqual({
      databaseBytes: 1e15,
      walBytes: 5,
      budgetBytes: null,
      diskFreeBytes: null,
      diskSizeBytes: null,
      level: 'ok',
    })
    expect(asked).toBe(1)
  })
})
