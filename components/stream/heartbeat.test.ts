import { expect, it } from 'vitest'
import { heartbeatOf } from './heartbeat'

it('reads the instant of a heartbeat, and its positions where it has some', () => {
  expect(heartbeatOf('1764350000000')).toEqual({ at: 1_764_350_000_000, positions: null })
  expect(heartbeatOf(' 1764350000000')?.at).toBe(1_764_350_000_000)
  expect(heartbeatOf('12 a:14,b:3')).toEqual({
    at: 12,
    positions: new Map([
      ['a', 14],
      ['b', 3],
    ]),
  })
  expect(heartbeatOf('12 ')).toEqual({ at: 12, positions: new Map() })
})

it('ignores other comments', () => {
  for (const text of ['', 'beat', '12a', '1764350000000 a:1 b:2', '1'.repeat(16)])
    expect(heartbeatOf(text)).toBeNull()
})
