import { describe, expect, it } from 'vitest'
import { cronWords } from './cron-words'
import { goesLive } from './goes-live'

const now = Date.UTC(2026, 10, 29, 17, 30)
const daily = { id: 'daily', type: 'cron', cron: '0 6 * * *', timezone: 'Europe/Berlin' }
const hook = { id: 'hook', type: 'webhook', secret: 'secret:x' }
const off = (trigger: object) => ({ ...trigger, enabled: false })
const texts = (
  before: object[] | null,
  after: object[],
  stored: { trigger_id: string; active: boolean }[] = [],
) =>
  goesLive({ triggers: after }, { pipelineId: 'p', before: before && { triggers: before }, stored, now }).map(
    // Whether a comma stands behind the weekday depends on the version of the runtime.
    ({ kind, text }) => `${kind}: ${text.replace('Mon, ', 'Mon ')}`,
  )

describe('what a publication makes live', () => {
  const runs = 'starts: Schedule daily runs at 06:00, every day (Europe/Berlin), next Mon 30 Nov, 06:00'

  it('is nothing without triggers, else each with what starts it and when', () => {
    expect(texts(null, [])).toEqual([])
    expect(texts(null, [daily, hook])).toEqual([
      runs,
      'starts: Hook hook starts a run at each call of /hooks/p/hook',
    ])
  })

  it('says what is switched off, and what stays so', () => {
    expect(texts([daily, hook], [off(daily), off(hook)], [{ trigger_id: 'daily', active: true }])).toEqual([
      'off: Schedule daily is switched off: it starts no runs',
      'off: Hook hook is switched off: its calls are refused',
    ])
    // Somebody switched it off: a revision that says nothing new of it leaves it so.
    expect(
      texts([daily], [{ ...daily, cron: '0 7 * * *' }], [{ trigger_id: 'daily', active: false }]),
    ).toEqual(['off: Schedule daily stays switched off: it starts no runs'])
    expect(texts([off(daily)], [daily], [{ trigger_id: 'daily', active: false }])).toEqual([
      runs.replace('runs at', 'is switched on: runs at'),
    ])
  })

  it('says what is removed', () => {
    expect(texts([daily, hook], [])).toEqual([
      'removed: Schedule daily is removed: it starts no more runs',
      'removed: Hook hook is removed: its calls are refused',
    ])
  })
})

it.each([
  ['0 6 * * *', 'at 06:00, every day'],
  ['5 18 * * 1-5', 'at 18:05, Monday through Friday'],
  ['0 0 1 * *', 'at 00:00, on day 1 of the month'],
  ['*/20 * * * *', 'every 20 minutes'],
  ['7 * * * *', 'at 7 minutes past the hour'],
  ['@daily', 'at 00:00, every day'],
  ['0 6,18 * * *', 'at 06:00 and 18:00, every day'],
  ['at noon', 'by at noon'],
])('%s fires %s', (cron, words) => {
  expect(cronWords(cron)).toBe(words)
})
