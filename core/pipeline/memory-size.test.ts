import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatMemory, MOST_MEMORY, parseMemory } from './memory-size'

describe('sizes of memory', () => {
  it.each([
    ['512Mi', 536_870_912],
    ['1.5Gi', 1_610_612_736],
    ['500Gi', 536_870_912_000],
    ['2G', 2_000_000_000],
    ['1024', 1_024],
    ['0', 0],
  ])('[H-6] %s is %d bytes', (text, bytes) => {
    expect(parseMemory(text)).toBe(bytes)
  })

  it.each(['', 'Mi', '-1Gi', '1 Gi', '1gi', '1e9', 'NaN', '9999999Ti'])('%j is no size', (text) => {
    expect(parseMemory(text)).toBeNull()
  })

  it('what is written parses back to the same', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MOST_MEMORY }), (bytes) => {
        expect(parseMemory(formatMemory(bytes))).toBe(bytes)
      }),
    )
    expect(formatMemory(536_870_912)).toBe('512Mi')
    expect(formatMemory(1_610_612_736)).toBe('1.5Gi')
  })
})
