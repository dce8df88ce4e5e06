import { describe, expect, it } from 'vitest'
import { bytesText, durationText, relativeText } from './times'

describe('durationText', () => {
  it.each([
    [0, '0 ms'],
    [-5, '0 ms'],
    [999, '999 ms'],
    [1_000, '1.0 s'],
    [9_949, '9.9 s'],
    [9_950, '10 s'],
    [59_499, '59 s'],
    [59_700, '1m 00s'],
    [187_000, '3m 07s'],
    [7_500_000, '2h 05m'],
    [100_800_000, '1d 04h'],
  ])('%d ms reads %s', (ms, text) => {
    expect(durationText(ms)).toBe(text)
  })

  it('names what is no number by a dash', () => {
    expect(durationText(Number.NaN)).toBe('–')
  })
})

describe('relativeText', () => {
  const now = Date.parse('2026-03-01T12:00:00Z')
  it.each([
    [now - 500, 'just now'],
    [now - 12_000, '12 s ago'],
    [now - 5 * 60_000, '5 min ago'],
    [now + 3 * 3_600_000, 'in 3 h'],
    [now + 106 * 60_000, 'in 1 h 46 min'],
    [now - 106 * 60_000, '1 h ago'],
    [now + 47 * 3_600_000, 'in 1 day 23 h'],
    [now - 86_400_000, '1 day ago'],
    [now - 4 * 86_400_000, '4 days ago'],
  ])('%d reads %s', (at, text) => {
    expect(relativeText(at, now)).toBe(text)
  })
})

describe('bytesText', () => {
  it.each([
    [812, '812 B'],
    [4_120, '4.1 kB'],
    [12_400_000, '12 MB'],
  ])('%d bytes read %s', (bytes, text) => {
    expect(bytesText(bytes)).toBe(text)
  })
})
