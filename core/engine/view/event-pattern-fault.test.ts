import { describe, expect, it } from 'vitest'
import { eventPatternFault } from './event-pattern-fault'

describe('patterns of event types', () => {
  it('[R-34] those that some event can match have no fault', () => {
    for (const pattern of [
      'pipeline.closed',
      'pipeline.*',
      '*.failed',
      '*.*',
      'extract.completed',
      'extract.task.lost',
      '*.task.*',
      'external.shop.order_paid',
      '*.shop.order_paid',
    ])
      expect(eventPatternFault(pattern), pattern).toBeNull()
  })

  it('[R-34] a pattern that no event can match is refused, with what was meant', () => {
    expect(eventPatternFault('pipeline.over')).toBe("nothing publishes 'pipeline.over'")
    expect(eventPatternFault('extract.complete')).toBe(
      "nothing publishes 'extract.complete'; did you mean extract.completed?",
    )
    expect(eventPatternFault('pipeline.task.failed')).toContain('nothing publishes')
    expect(eventPatternFault('external')).toContain('nothing publishes')
    expect(eventPatternFault('*')).toContain('nothing publishes')
  })
})
