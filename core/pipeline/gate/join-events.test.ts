import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { joinEvents } from './join-events'
import { gateAtoms, parseStartWhen } from './start-when'

const joined = (text: string, join: 'and' | 'or') => {
  const after = joinEvents(text, join)
  return after.ok ? after.value : `refused: ${after.error.message}`
}

describe('all or one of the events of a gate', () => {
  it.each<[string, 'and' | 'or', string]>([
    ['event:a.done && event:b.done', 'or', 'event:a.done || event:b.done'],
    ['event:a.done || !event:b.done', 'and', 'event:a.done && !event:b.done'],
    [
      'event:a.done && {{ a.v }} && event:b.done',
      'or',
      'event:a.done && {{ a.v }} || event:b.done && {{ a.v }}',
    ],
    [
      'event:a.done && {{ a.v }} || event:b.done && {{ a.v }}',
      'and',
      'event:a.done && event:b.done && {{ a.v }}',
    ],
    ['event:a.done  &&  event:b.done', 'and', 'event:a.done  &&  event:b.done'],
    ['event:a.done && {{ a.v }}', 'or', 'event:a.done && {{ a.v }}'],
  ])('%s by %s', (text, join, after) => {
    expect(joined(text, join)).toBe(after)
  })

  it('refuses what is nested, and what is no gate', () => {
    expect(joined('event:a.done && (event:b.done || event:c.done)', 'or')).toMatch(/refused: .*nested/)
    expect(joined('event:a.done &&', 'or')).toMatch(/refused/)
  })

  it('goes to and fro without losing an event or a condition', () => {
    const events = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 2 })
    const negated = fc.array(fc.boolean(), { minLength: 4, maxLength: 4 })
    const conditions = fc.uniqueArray(fc.constantFrom('a.v', 'b.v'), { maxLength: 2 })
    fc.assert(
      fc.property(events, negated, conditions, (ids, signs, sources) => {
        const text = [
          ...ids.map((id, at) => `${signs[at] === true ? '!' : ''}event:${id}.done`),
          ...sources.map((source) => `{{ ${source} }}`),
        ].join(' && ')
        const parsed = parseStartWhen(joined(text, 'or'))
        expect(parsed.ok && parsed.value.kind).toBe('or')
        expect(parsed.ok && gateAtoms(parsed.value)).toHaveLength(ids.length * (1 + sources.length))
        expect(joined(joined(text, 'or'), 'and')).toBe(text)
      }),
    )
  })
})
