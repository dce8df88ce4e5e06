import { expect, it } from 'vitest'
import { readShown, withinRun } from './shown-instants'

it('reads the instants of an address, and says of what is none that it is missing', () => {
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
