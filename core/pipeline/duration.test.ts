import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatDuration, maxDurationMs, parseDuration } from './duration'

describe('durations', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['1.5s', 1_500],
    ['PT30S', 30_000],
    ['PT0.5S', 500],
    ['P1DT2H', 93_600_000],
    ['P1W', 604_800_000],
    ['0s', 0],
  ])('[R-83] %s is %d ms', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })

  it.each([
    '',
    '5',
    's',
    '5 m',
    '-5s',
    '1y',
    'P',
    'PT',
    'P1Y',
    'P1M',
    'P1DT',
    'PT1S1M',
    '99999d',
    '1e3s',
    '５m',
    'Infinitys',
  ])('[R-83] %j is refused', (text) => {
    expect(parseDuration(text)).toBe(null)
  })

  it('formats so that it parses back', () => {
    expect(formatDuration(90_000)).toBe('90s')
    expect(formatDuration(7_200_000)).toBe('2h')
    expect(formatDuration(0)).toBe('0ms')
    fc.assert(
      fc.property(fc.integer({ min: 0, max: maxDurationMs }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms)
      }),
    )
  })
})
