import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decodeCursor, encodeCursor } from './cursor'

const part = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 20 }), fc.maxSafeInteger())

it('a cursor gives back the keys that it was made of, and fits into a URL as it is', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const cursor = encodeCursor(parts)
      expect(encodeURIComponent(cursor)).toBe(cursor)
      const shape = parts.map((one) => (typeof one === 'number' ? ('number' as const) : ('string' as const)))
      // A zero has no sign in JSON.
      expect(decodeCursor(cursor, shape)).toEqual(parts.map((one) => (one === 0 ? 0 : one)))
      expect(decodeCursor(cursor, [...shape, 'number'])).toBeNull()
    }),
  )
})

it('what was not made for a list of this shape is no cursor', () => {
  const good = encodeCursor(['seq', 5])
  const other = [
    '',
    '!',
    `${good}=`,
    `${good}A`,
    good.slice(0, -1),
    'A'.repeat(2_000),
    btoa('["seq", 5]'),
    btoa('{}'),
    btoa('["seq",5.5]'),
    btoa('["seq",1e99]'),
    btoa('not JSON'),
    encodeCursor([5, 'seq']),
    encodeCursor(['seq']),
  ]
  expect(decodeCursor(good, ['string', 'number'])).toEqual(['seq', 5])
  for (const cursor of other) expect(decodeCursor(cursor, ['string', 'number']), cursor).toBeNull()
})
