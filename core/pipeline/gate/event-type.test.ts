import { describe, expect, it } from 'vitest'
import { eventTypeOf, isExternal } from './event-type'

describe('the parser of event types', () => {
  it.each([
    ['pipeline.started', 'pipeline', 'pipeline', 'started'],
    ['extract.completed', 'node', 'extract', 'completed'],
    ['extract.task.lost', 'task', 'extract', 'lost'],
    ['extract.task', 'node', 'extract', 'task'],
    ['external.data', 'external', 'data', ''],
    ['external.gate.approved', 'external', 'gate', 'approved'],
    ['external.gate.approved.twice', 'external', 'gate', 'approved.twice'],
    ['external.pipeline.started', 'external', 'pipeline', 'started'],
    ['alone', 'node', 'alone', ''],
  ])('[R-34] reads %s', (type, level, node, word) => {
    expect(eventTypeOf(type)).toEqual({ level, node, word })
    expect(isExternal(type)).toBe(level === 'external')
  })

  it('reads a type to the same object again, and forgets when there are too many', () => {
    const first = eventTypeOf('often.completed')
    expect(eventTypeOf('often.completed')).toBe(first)
    for (let at = 0; at < 10_000; at++) eventTypeOf(`node_${at}.completed`)
    expect(eventTypeOf('often.completed')).not.toBe(first)
    expect(eventTypeOf('often.completed')).toEqual(first)
  })
})
