import { expect, it } from 'vitest'
import { msAfterStart, readShown, steppedTo, withinRun } from './shown-instants'

it('reads the instants of an address, and reports those that are invalid as missing', () => {
  const read = (at: string | null, since: string | null = null) => readShown({ at, since })
  expect(read(null)).toEqual({ at: null, since: null, missing: false })
  expect(read('7', '3')).toEqual({ at: 7, since: 3, missing: false })
  for (const wrong of ['abc', '', '-1', '0', '1e99', '1.5', '9'.repeat(40), '7 ', '٧']) {
    expect(read(wrong, '3')).toEqual({ at: null, since: 3, missing: true })
    expect(read('7', wrong)).toEqual({ at: 7, since: null, missing: true })
  }
})

it('goes to the present where the run has no such event, and stays there when it has more', () => {
  const shown = readShown({ at: '9', since: '3' })
  expect(withinRun(shown, 9)).toBe(shown)
  const now = withinRun(shown, 8)
  expect(now).toEqual({ at: null, since: 3, missing: true })
  expect(withinRun(now, 20)).toBe(now)
  expect(withinRun(shown, 2)).toEqual({ at: null, since: null, missing: true })
})

it('steps within the run, and leaves the present only backwards', () => {
  expect(steppedTo(-1, { seq: null, last: 9 })).toBe(8)
  expect(steppedTo(1, { seq: null, last: 9 })).toBeNull()
  expect(steppedTo(1, { seq: 8, last: 9 })).toBe(9)
  expect(steppedTo(1, { seq: 9, last: 9 })).toBe(9)
  expect(steppedTo(-1, { seq: 1, last: 9 })).toBe(1)
})

it('measures how long after the start an event came', () => {
  const events = ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:01.500Z'].map((timestamp) => ({ timestamp }))
  expect(msAfterStart(events, 2)).toBe(1_500)
  expect(msAfterStart(events, 3)).toBe(0)
  expect(msAfterStart([], 1)).toBe(0)
})
