import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Agenda } from './agenda'

const planned = fc.record({ at: fc.nat(5), rank: fc.constantFrom(0, 1, Infinity), drop: fc.boolean() })

describe('the agenda', () => {
  it('gives the soonest, then the lowest rank, then what was planned first, without what was dropped', () => {
    fc.assert(
      fc.property(fc.array(planned, { maxLength: 40 }), (all) => {
        const agenda = new Agenda<number>()
        const handles = all.map(({ at, rank }, order) => agenda.plan(at, order, rank))
        all.forEach(({ drop }, order) => drop && agenda.drop(handles[order]!))
        const expected = all
          .map((one, order) => ({ ...one, order }))
          .filter(({ drop }) => !drop)
          .sort((a, b) => a.at - b.at || (a.rank === b.rank ? a.order - b.order : a.rank - b.rank))
          .map(({ order }) => order)
        const given: number[] = []
        for (let next = agenda.next; next !== undefined; next = agenda.next) {
          expect(agenda.shift()).toBe(next)
          given.push(next.what)
        }
        expect(given).toEqual(expected)
      }),
    )
  })
})
