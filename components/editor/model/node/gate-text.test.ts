import { describe, expect, it } from 'vitest'
import { gateShape } from '@/core/pipeline/gate/shape'
import { joinedAs, signsOf } from './gate-text'

const negatedAt = (gate: string, edge: number) => signsOf(gate)[edge]?.() ?? null

describe('the joint of a gate', () => {
  it('becomes the other one, and conditions stay with their events', () => {
    const and = 'event:a.completed && event:b.completed && {{ a.rows > 0 }}'
    const or = joinedAs(and, 'or')
    expect(or).toBe('event:a.completed && {{ a.rows > 0 }} || event:b.completed && {{ a.rows > 0 }}')
    expect(gateShape(or!)).toMatchObject({ value: { join: 'or' } })
    expect(joinedAs(or!, 'and')).toBe(and)
    expect(joinedAs('event:a.failed || !event:b.completed', 'and')).toBe(
      'event:a.failed && !event:b.completed',
    )
  })

  it('is left alone where it is more than that', () => {
    expect(joinedAs('(event:a.completed || event:b.completed) && event:c.completed', 'or')).toBeNull()
    expect(joinedAs('event:', 'or')).toBeNull()
  })
})

describe('the sign of an event', () => {
  it('comes and goes', () => {
    expect(negatedAt('event:a.completed && event:b.completed', 1)).toBe(
      'event:a.completed && !event:b.completed',
    )
    expect(negatedAt('event:a.completed && ! event:b.completed', 1)).toBe(
      'event:a.completed && event:b.completed',
    )
  })

  it('stays where it stands before more', () => {
    expect(negatedAt('!(event:a.completed || event:b.completed)', 0)).toBeNull()
    expect(negatedAt('event:a.completed', 1)).toBeNull()
    expect(negatedAt('event:', 0)).toBeNull()
  })

  it('[R-87] reads a join of a thousand events once for all their signs', () => {
    const events = Array.from({ length: 1_000 }, (_, at) => `event:n${at}.completed`)
    const signs = signsOf(events.join(' && '))
    expect(signs).toHaveLength(1_000)
    expect(signs[999]?.()).toBe(`${events.slice(0, 999).join(' && ')} && !event:n999.completed`)
  })
})
