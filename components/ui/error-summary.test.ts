import { expect, it } from 'vitest'
import { errorSummary } from './error-summary'

const sniffed = `Invalid Input Error: CSV Error on Line: 3
Original Line: 3
Expected Number of Columns: 2 Found: 1
Possible fixes:
* Enable null padding (null_padding=true)

  file = /files/a.csv
  delimiter = , (Auto-Detected)
  quote = " (Auto-Detected)`

it('says what happened first, and has advice and settings behind it', () => {
  const { summary, rest } = errorSummary(sniffed)
  expect(summary).toBe(sniffed.split('\n').slice(0, 3).join('\n'))
  expect(rest).toBe(sniffed.split('\n').slice(3).join('\n'))
})

it.each([
  ['no rows', 'no rows', ''],
  ['first\nsecond\nthird', 'first\nsecond\nthird', ''],
  ['first\n\nsecond', 'first', 'second'],
  ['first\n- one\n- two', 'first', '- one\n- two'],
  ['first\n  delimiter = ,', 'first', 'delimiter = ,'],
  ['1\n2\n3\n4', '1\n2\n3', '4'],
  ['', '', ''],
])('ends before lists, settings and gaps: %j', (message, summary, rest) => {
  expect(errorSummary(message)).toEqual({ summary, rest })
})

it('cuts one long line between words, and has all of it behind', () => {
  const long = 'word '.repeat(200).trim()
  const { summary, rest } = errorSummary(long)
  expect(summary.length).toBeLessThanOrEqual(301)
  expect(summary).toMatch(/word…$/)
  expect(rest).toBe(long)
  expect(errorSummary('x'.repeat(400)).summary).toBe(`${'x'.repeat(300)}…`)
})
