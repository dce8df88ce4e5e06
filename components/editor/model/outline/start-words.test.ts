import { describe, expect, it } from 'vitest'
import { startInWords } from './start-words'

describe('a start condition in words', () => {
  it.each([
    ['event:pipeline.started', 'at the start'],
    ['event:read.completed', 'when read completed'],
    ['event:read.completed && event:validate.completed', 'when read and validate completed'],
    ['event:a.failed || event:b.failed || event:c.failed', 'when a, b or c failed'],
    ['event:ask.approved || event:ask.timeout', 'when ask was approved or ask timed out'],
    ['event:a.completed && !event:b.failed', 'when a completed and b did not fail'],
    ['event:a.completed && {{ a.rows > 0 }}', 'when a completed, if a.rows > 0'],
    ['{{ a.rows > 0 }} && event:a.completed && {{ b.x }}', 'when a completed, if a.rows > 0 and b.x'],
    ['{{ pipeline.input.go }}', 'if pipeline.input.go'],
    ['event:external.data_ready', 'when data_ready arrived'],
    ['event:pipeline.failed || event:pipeline.cancelled', 'when the run failed or the run was cancelled'],
    [
      '(event:a.completed && event:b.completed) || event:c.skipped',
      'when (a and b completed) or c was skipped',
    ],
    ['!(event:a.completed || event:b.completed)', 'when not (a or b completed)'],
    ['event:a.task.failed', 'when a (task failed) came'],
    ['event:a.completed || {{ a.x }}', 'when a completed or a.x'],
  ])('%s', (gate, said) => expect(startInWords(gate)).toBe(said))

  it('has no words for what cannot be read', () => {
    expect(startInWords('event:')).toBeNull()
    expect(startInWords('')).toBeNull()
  })
})
