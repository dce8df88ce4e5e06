import { expect, it } from 'vitest'
import { largeValueBytes } from './large-value'

it('distinguishes a value that is stored as a file from one with members of the same names', () => {
  expect(largeValueBytes({ artifact_id: 'value-0a', digest: '0a', bytes: 6_250_392 })).toBe(6_250_392)
  expect(largeValueBytes({ artifact_id: 'report', digest: '0a', bytes: 6 })).toBeNull()
  expect(largeValueBytes({ artifact_id: 'value-undefined', bytes: 6 })).toBeNull()
  expect([null, 'value-0a', [], {}].map(largeValueBytes)).toEqual([null, null, null, null])
})
