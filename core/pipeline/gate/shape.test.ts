import { describe, expect, it } from 'vitest'
import { atomsOf, gateShape, type GateShape } from './shape'

function shape(text: string): GateShape {
  const result = gateShape(text)
  if (!result.ok) throw new Error(result.error.message)
  return result.value
}

describe('the shape of a gate', () => {
  it.each<[string, GateShape['join']]>([
    ['event:a.completed', 'single'],
    ['!event:a.failed', 'single'],
    ['(event:a.completed && {{ a.v > 1 }}) && {{ a.v < 9 }}', 'single'],
    ['event:a.completed && event:b.completed', 'and'],
    ['event:a.completed && (!event:b.failed && {{ a.v > 1 }})', 'and'],
    ['event:a.completed || event:b.completed', 'or'],
    ['event:a.completed && {{ a.v > 1 }} || !event:b.failed', 'or'],
    ['event:a.completed || {{ a.v > 1 }}', 'mixed'],
    ['event:a.completed && (event:b.completed || event:c.completed)', 'mixed'],
    ['event:a.completed && event:b.completed || event:c.completed', 'mixed'],
    ['!(event:a.completed && {{ a.v > 1 }})', 'mixed'],
    ['{{ pipeline.input.x > 1 }}', 'mixed'],
  ])('[X-1] %s is drawn as %s', (text, join) => {
    expect(shape(text).join).toBe(join)
  })

  it('[X-1] [R-66] says which edge is negated, and on which edge a condition stands', () => {
    expect(
      shape(
        '{{ pipeline.input.x }} && (event:a.completed && !{{ a.v > 1 }} || !event:b.failed && {{ b.v }} && {{ b.w }} || event:a.completed)',
      ),
    ).toEqual({
      join: 'mixed',
      edges: [
        { type: 'a.completed', negated: false },
        { type: 'b.failed', negated: true },
        { type: 'a.completed', negated: false },
      ],
      conditions: [
        { source: 'pipeline.input.x', negated: false, edge: null },
        { source: 'a.v > 1', negated: true, edge: 0 },
        { source: 'b.v', negated: false, edge: 1 },
        { source: 'b.w', negated: false, edge: 1 },
      ],
    })
    expect(shape('event:a.completed && event:b.completed && {{ a.v > 1 }}').conditions).toEqual([
      { source: 'a.v > 1', negated: false, edge: null },
    ])
    expect(shape('!(event:a.completed && {{ a.v > 1 }})').conditions).toEqual([
      { source: 'a.v > 1', negated: true, edge: null },
    ])
  })

  it('[X-1] places every atom in the text', () => {
    const text = ' !( event:a.completed\n|| {{  a.v > 1 }} )&&event:b.failed'
    const atoms = atomsOf(text)
    expect(
      atoms.ok && atoms.value.map(({ negated, start, end }) => [text.slice(start, end), negated]),
    ).toEqual([
      ['event:a.completed', true],
      ['{{  a.v > 1 }}', true],
      ['event:b.failed', false],
    ])
  })

  it('answers the mistake in a text that is no gate', () => {
    expect(gateShape('event:a.completed &&')).toMatchObject({ ok: false, error: { position: 20 } })
    expect(atomsOf('and')).toMatchObject({ ok: false })
  })
})
