import { describe, expect, it } from 'vitest'
import { EngineRun, failing, noop, set } from './engine-run'
import { eventsOf, outcomesOf, only, startWhenOf, type Formula } from './formula'
import { disagreements } from './oracle'
import type { LoggedEntry } from './read-log'

const event = (type: string): Formula => ({ kind: 'event', type })
const gates = new Map<string, Formula>([
  ['a', event('pipeline.started')],
  ['b', event('pipeline.started')],
  [
    'j',
    {
      kind: 'and',
      terms: [
        event('a.completed'),
        { kind: 'above', node: 'a', than: 3 },
        { kind: 'not', term: event('b.completed') },
      ],
    },
  ],
  ['fix', event('b.failed')],
  ['never', event('fix.failed')],
])
const gateOf = (id: string) => startWhenOf(gates.get(id)!)
const definition = {
  schemaVersion: 1 as const,
  id: 'p',
  name: 'p',
  outputs: { a: { value: '{{ a.v }}' } },
  nodes: [
    set('a', { v: 4 }, gateOf('a')),
    failing('b', gateOf('b')),
    noop('j', gateOf('j')),
    noop('fix', gateOf('fix')),
    noop('never', gateOf('never')),
  ],
}
const honest = (): LoggedEntry[] => {
  const run = new EngineRun(definition)
  run.drain().check()
  return run.entries
}
const judge = (log: readonly LoggedEntry[]) =>
  disagreements({ definition, gates, log, childLog: () => undefined }).join('; ')

/** The log, with one kind of event changed. */
const changing = (type: string, change: (entry: LoggedEntry) => LoggedEntry) =>
  honest().map((entry) => (entry.event.type === type ? change(entry) : entry))
const as =
  (type: string, payload: object = {}) =>
  (entry: LoggedEntry) => ({
    ...entry,
    event: { ...entry.event, type, payload: { ...entry.event.payload, ...payload } },
  })

describe('the oracle', () => {
  it('[R-5][R-53] agrees with what the engine did', () => {
    expect(judge(honest())).toBe('')
  })

  it.each([
    [
      'a failure that is logged as a success',
      changing('b.failed', as('b.completed')),
      'b: completed; failed was due',
    ],
    [
      'another kind of failure',
      changing('b.failed', as('b.failed', { error: { kind: 'odd' } })),
      'b: failed as odd',
    ],
    [
      'a wrong reason',
      changing('never.skipped', as('never.skipped', { reason: 'upstream_failed' })),
      'never: skipped',
    ],
    ['a skip that was not due', changing('j.started', as('j.waiting')), 'j: is completed and never started'],
    [
      'a lost end',
      honest().filter(({ event: { type } }) => type !== 'fix.completed'),
      'fix: has not exactly one end',
    ],
    [
      'another value',
      changing('a.completed', (entry) => ({ ...entry, variables: [{ name: 'a.v', value: 5 }] })),
      'a: left {"v":5}; {"v":4} was due',
    ],
    [
      'another output of the run',
      changing('pipeline.completed', (entry) => ({
        ...entry,
        variables: [{ name: 'pipeline.output.a', value: 9 }],
      })),
      'the run left',
    ],
    [
      'another outcome',
      changing('pipeline.completed', as('pipeline.failed', { failed_nodes: ['b'] })),
      'the run is failed',
    ],
    ['a failure that nobody handled', changing('fix.started', as('fix.begun')), 'failed was due'],
  ])('[R-53][R-82] sees %s', (_, log, found) => {
    expect(judge(log)).toContain(found)
  })

  it('[R-66] allows an error where it may have come before what decides, and only there', () => {
    const facts = {
      event: (type: string) => only(type.startsWith('true') ? 'true' : 'dead', type),
      value: () => 'no number',
    }
    const above: Formula = { kind: 'above', node: 'x', than: 1 }
    const verdicts = (formula: Formula) => [...outcomesOf(formula, facts).keys()].sort()
    expect(verdicts({ kind: 'or', terms: [event('true.a'), above] })).toEqual(['error', 'true'])
    expect(verdicts({ kind: 'and', terms: [event('dead.a'), above] })).toEqual(['dead'])
    expect(verdicts({ kind: 'and', terms: [event('true.a'), above] })).toEqual(['error'])
    expect(verdicts({ kind: 'not', term: event('dead.a') })).toEqual(['true'])
    expect(eventsOf({ kind: 'not', term: event('dead.a') })).toEqual([{ type: 'dead.a', negated: true }])
  })
})
