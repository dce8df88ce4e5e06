import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { jsonValue } from './json-value'

describe('a JSON value of any size', () => {
  it('takes what JSON knows, as z.json() does, and nothing else', () => {
    const slow = z.json()
    const values = [
      ...[null, true, 'a', 0, -1.5, [], {}, [1, [null]], { a: { b: ['c'] } }, Object.create(null)],
      ...[
        undefined,
        NaN,
        Infinity,
        () => 1,
        Symbol('a'),
        1n,
        [undefined],
        { a: NaN },
        new Date(0),
        new Map(),
      ],
    ] as const
    for (const value of values)
      expect(jsonValue.safeParse(value).success, String(typeof value)).toBe(slow.safeParse(value).success)
  })

  it('may be left out only where it is optional', () => {
    expect(z.strictObject({ a: jsonValue }).safeParse({}).success).toBe(false)
    expect(z.strictObject({ a: jsonValue.optional() }).safeParse({}).success).toBe(true)
  })

  it('[R-61] of 8 MB is taken in a small part of the time, and is not copied', () => {
    const value = Array.from({ length: 80_000 }, (_, id) => ({ id, name: `row ${id}`, text: 'x'.repeat(70) }))
    const msOf = (schema: z.ZodType) => {
      const began = performance.now()
      expect(schema.safeParse(value).success).toBe(true)
      return performance.now() - began
    }
    const slow = Math.min(msOf(z.json()), msOf(z.json()))
    expect(Math.min(msOf(jsonValue), msOf(jsonValue))).toBeLessThan(slow / 3)
    expect(jsonValue.parse(value)).toBe(value)
  })
})
