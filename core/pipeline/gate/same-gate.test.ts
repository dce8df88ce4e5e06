import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameGate } from './same-gate'

const same = (before: string, after: string, evaluations = 50_000) => sameGate(before, after, { evaluations })

describe('two gates', () => {
  it.each([
    ['event:a.completed && event:b.completed', 'event:b.completed  &&  (event:a.completed)'],
    ['!(event:a.completed || event:b.failed)', '!event:a.completed && !event:b.failed'],
    ['event:a.completed', '!!event:a.completed || event:a.completed'],
    ['event:a.completed', 'event:a.completed || (event:a.completed && event:b.completed)'],
    [
      'event:a.completed && (event:b.completed || event:c.completed)',
      'event:a.completed && event:c.completed || event:a.completed && event:b.completed',
    ],
    ['event:a.completed && {{ a.v > 1 }}', '{{ a.v > 1 }} && event:a.completed'],
  ])('[X-1] [R-5] are the same: %s and %s', (before, after) => {
    expect(same(before, after)).toBe(true)
    expect(same(after, before)).toBe(true)
  })

  it.each([
    ['event:a.completed', 'event:a.failed'],
    ['event:a.completed && event:b.completed', 'event:a.completed || event:b.completed'],
    // True in logic of two values; of three, what is pending stays pending.
    ['event:pipeline.started', 'event:pipeline.started && (event:a.completed || !event:a.completed)'],
    ['event:a.completed && {{ a.v > 1 }}', 'event:a.completed && {{ a.v > 2 }}'],
    ['event:a.completed', 'event:a.completed &&'],
  ])('[R-5] are not the same: %s and %s', (before, after) => {
    expect(same(before, after)).toBe(false)
  })

  it('[R-70] are not the same when one handles a failure that the other does not', () => {
    expect(same('event:a.completed', 'event:a.completed || (event:a.completed && event:b.failed)')).toBe(
      false,
    )
  })

  it('[R-66] are not the same when one asks a condition that the other does not need', () => {
    const [a, b] = ['event:a.completed', 'event:b.completed']
    expect(same(`${a} || ${b} && {{ b.v > 1 }}`, `${a} || ${b}`)).toBe(false)
    // Whether the condition fails or holds, the event has decided.
    expect(same(`${a} || (${a} && {{ a.v > 1 }})`, a)).toBe(true)
  })

  it('[R-61] are the same only when that was proven: many atoms are compared by their form alone', () => {
    const atoms = Array.from({ length: 40 }, (_, at) => `event:n${at}.completed`)
    expect(same(atoms.join(' && '), atoms.toReversed().join(' && '))).toBe(true)
    expect(same(atoms.join(' && '), `!(${atoms.map((atom) => `!${atom}`).join(' || ')})`)).toBe(false)
    expect(same(`!(!${atoms[0]})`, atoms[0] ?? '', 0)).toBe(true)
    expect(same('!(event:a.b || event:c.d)', '!event:a.b && !event:c.d', 8)).toBe(false)
    expect(same('!(event:a.b || event:c.d)', '!event:a.b && !event:c.d', 9)).toBe(true)
  })

  it('are the same as themselves with every pair of terms exchanged, and as their double negation', () => {
    const { gate } = fc.letrec<{ gate: string }>((tie) => ({
      gate: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom('event:a.completed', 'event:b.failed', 'event:external.x', '{{ a.v > 1 }}'),
        fc
          .tuple(tie('gate'), tie('gate'), fc.constantFrom('&&', '||'))
          .map(([a, b, op]) => `(${a} ${op} ${b})`),
        tie('gate').map((inner) => `!(${inner})`),
      ),
    }))
    fc.assert(
      fc.property(gate, gate, fc.constantFrom('&&', '||'), (a, b, op) => {
        expect(same(`${a} ${op} ${b}`, `${b} ${op} ${a}`)).toBe(true)
        expect(same(`${a} ${op} ${b}`, `!(!(${a} ${op} ${b}))`)).toBe(true)
      }),
      { numRuns: 100 },
    )
  })
})
