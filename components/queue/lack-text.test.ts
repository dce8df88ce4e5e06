import { expect, it } from 'vitest'
import { lackText } from './lack-text'

it('[H-5] says what a node lacks and what would let it go', () => {
  const gpu = { pool: 'gpu', amount: 1, in_use: 2, capacity: 2 } as const
  expect(lackText({ ...gpu, reason: 'full' })).toBe('gpu: 2 of 2 in use')
  expect(lackText({ ...gpu, reason: 'behind_others' })).toBe('its turn for gpu: those before it come first')
  expect(lackText({ ...gpu, reason: 'too_large', amount: 4 })).toBe(
    '4 of gpu: there are only 2, an admin has to enlarge it',
  )
  const gone = { pool: 'warehouse', amount: 1, in_use: 0, capacity: 0, reason: 'too_large' } as const
  expect(lackText(gone)).toBe('pool warehouse: there is none, an admin has to make it')
  const memory = { pool: 'big.memory', amount: 2 ** 30, in_use: 2 ** 31, capacity: 2.5 * 2 ** 30 } as const
  expect(lackText({ ...memory, reason: 'full' })).toBe(
    'memory of worker group big: 2Gi of 2.5Gi in use, needs 1Gi',
  )
})
