import { describe, expect, it } from 'vitest'
import { valueText } from './objective-text'

describe('a measured value', () => {
  it.each([
    ['ms', 0.42, '0.4 ms'],
    ['ms', 49.6, '50 ms'],
    ['runs', 1234, '1,234'],
    ['percent', 100, '100 %'],
    // Rounded up it would look like a promise that was met.
    ['percent', 99.8996, '99.899 %'],
    ['percent', 99.99999, '99.999 %'],
  ] as const)('[H-15] %s %s is shown as %s', (unit, value, text) => {
    expect(valueText(unit, value)).toBe(text)
  })

  it('[H-15] a long one is a duration', () => {
    expect(valueText('ms', 2_500)).toBe('2.5 s')
  })
})
