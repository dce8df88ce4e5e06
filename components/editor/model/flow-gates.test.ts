import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { gateShape } from '@/core/pipeline/gate/shape'
import { parseStartWhen, type StartWhen } from '@/core/pipeline/gate/start-when'
import { node, pipeline } from '@/testing/definitions'
import { connected, reconnected, relinked, withFlow } from './edits'
import { edgeOf, gateOf, nodesOf, toFlow, type Flow, type FlowEdge } from './flow'

/*
 * Edges against formulas: a gate is a tree, an edit of an edge is a change of that tree, and both must say the same in every world of
 * true and false atoms.
 */

const ids = ['a', 'b', 'c']
const event = fc
  .tuple(fc.constantFrom(...ids), fc.constantFrom('completed', 'failed', 'skipped'))
  .map(([id, outcome]) => `event:${id}.${outcome}`)
const { gate } = fc.letrec<{ gate: string }>((tie) => ({
  gate: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 4, arbitrary: fc.oneof(event, fc.constant('event:external.go')) },
    fc.constantFrom('{{ a.v > 0 }}', '{{ b.v > 0 }}'),
    tie('gate').map((one) => `!(${one})`),
    fc.tuple(tie('gate'), tie('gate')).map(([one, two]) => `(${one}) && ${two}`),
    fc.tuple(tie('gate'), tie('gate')).map(([one, two]) => `${one} || (${two})`),
  ),
}))

const read = (text: string): StartWhen => {
  const parsed = parseStartWhen(text)
  if (!parsed.ok) throw new Error(`${text}: ${parsed.error.message}`)
  return parsed.value
}

const nameOf = (atom: StartWhen): string =>
  atom.kind === 'event' ? atom.type : atom.kind === 'condition' ? `{${atom.source}}` : ''

function namesIn(gate: StartWhen): string[] {
  if (gate.kind === 'not') return namesIn(gate.term)
  return gate.kind === 'and' || gate.kind === 'or' ? gate.terms.flatMap(namesIn) : [nameOf(gate)]
}

function truth(gate: StartWhen, world: ReadonlySet<string>): boolean {
  if (gate.kind === 'not') return !truth(gate.term, world)
  if (gate.kind === 'and') return gate.terms.every((term) => truth(term, world))
  if (gate.kind === 'or') return gate.terms.some((term) => truth(term, world))
  return world.has(nameOf(gate))
}

/** Undefined: struck. */
function mapped(gate: StartWhen, change: (atom: StartWhen) => StartWhen | undefined): StartWhen | undefined {
  if (gate.kind === 'not') {
    const term = mapped(gate.term, change)
    return term && { kind: 'not', term }
  }
  if (gate.kind !== 'and' && gate.kind !== 'or') return change(gate)
  const terms = gate.terms.map((term) => mapped(term, change)).filter((term) => term !== undefined)
  return terms.length === 0 ? undefined : { kind: gate.kind, terms }
}

const started: StartWhen = { kind: 'event', type: 'pipeline.started' }
const is = (type: string): StartWhen => ({ kind: 'event', type })

type Edit = {
  readonly flow: (flow: Flow, edge: FlowEdge) => Flow
  readonly intended: (gate: StartWhen, edge: FlowEdge, text: string) => StartWhen | undefined
}

const edits: Record<string, Edit> = {
  delete: {
    flow: (flow, edge) => ({ ...flow, edges: flow.edges.filter(({ id }) => id !== edge.id) }),
    intended: (gate, edge) => mapped(gate, (atom) => (nameOf(atom) === edge.event ? undefined : atom)),
  },
  relabel: {
    flow: (flow, edge) => reconnected(flow, edge.id, 'd.completed', 't'),
    intended: (gate, edge) =>
      mapped(gate, (atom) => (nameOf(atom) === edge.event ? is('d.completed') : atom)),
  },
  negate: {
    flow: (flow, edge) => relinked(flow, edge.id, { negated: !edge.negated }),
    intended: (gate, edge) =>
      mapped(gate, (atom) => (nameOf(atom) === edge.event ? { kind: 'not', term: atom } : atom)),
  },
}

const draw = (startWhen: string) => pipeline([...ids.map((id) => node(id)), node('d'), node('t', startWhen)])

/** The gate of `t` after a change of the flow. */
function gateAfter(startWhen: string, change: (flow: Flow) => Flow): string {
  const { definition, refused } = withFlow(draw(startWhen), change)
  expect(refused).toBeNull()
  return gateOf(nodesOf(definition).find(({ id }) => id === 't')!)
}

function expectSame(found: StartWhen, wanted: StartWhen): void {
  const names = [...new Set([...namesIn(found), ...namesIn(wanted)])]
  for (let world = 0; world < 2 ** names.length; world += 1) {
    const holds = new Set(names.filter((_, at) => (world >> at) % 2 === 1))
    expect(truth(found, holds), `${[...holds].join()}`).toBe(truth(wanted, holds))
  }
}

describe('an edit of an edge says in its gate what is meant', () => {
  it.each(Object.keys(edits))('%s', (name) => {
    const { flow: change, intended } = edits[name]!
    fc.assert(
      fc.property(gate, fc.nat(), (text, pick) => {
        const edges = toFlow(draw(text)).edges
        fc.pre(edges.length > 0)
        const edge = edges[pick % edges.length]!
        const after = gateAfter(text, (flow) => change(flow, edge))
        expectSame(read(after), intended(read(text), edge, text) ?? started)
      }),
      { numRuns: 400 },
    )
  })

  it('drawn: needed beside all of it, or one more alternative', () => {
    fc.assert(
      fc.property(gate, (text) => {
        const drawn = read(gateAfter(text, (flow) => connected(flow, 'd.completed', 't')))
        const shape = gateShape(text)
        const kind = shape.ok && shape.value.join === 'or' ? 'or' : 'and'
        expectSame(drawn, { kind, terms: [read(text), is('d.completed')] })
      }),
      { numRuns: 400 },
    )
  })

  it('a condition comes, changes and goes on one edge, and leaves the rest as it was', () => {
    const guarded = fc.constantFrom(
      'event:a.completed',
      '!event:a.completed',
      'event:a.completed || event:b.failed',
      'event:a.completed && {{ b.v > 0 }} || event:b.failed',
      'event:b.failed || (event:c.completed || event:a.completed) && event:c.failed',
    )
    fc.assert(
      fc.property(guarded, (text) => {
        const id = 'a.completed>t'
        const at = (startWhen: string) => toFlow(draw(startWhen)).edges.find((edge) => edge.id === id)!
        const before = at(text).conditions
        const one = gateAfter(text, (flow) => relinked(flow, id, { conditions: [...before, 'c.v > 1'] }))
        expect(at(one).conditions.toSorted()).toEqual([...before, 'c.v > 1'].toSorted())
        const now = at(one).conditions.map((source) => (source === 'c.v > 1' ? 'c.v > 2' : source))
        const two = gateAfter(one, (flow) => relinked(flow, id, { conditions: now }))
        expect(two).toBe(one.replace('c.v > 1', 'c.v > 2'))
        const gone = gateAfter(two, (flow) =>
          relinked(flow, id, { conditions: now.filter((source) => source !== 'c.v > 2') }),
        )
        expectSame(read(gone), read(text))
      }),
    )
  })

  it('a condition under a `!` is shown as CEL writes it, and can be replaced and struck', () => {
    const text = 'event:a.completed && !{{ a.v > 0 }}'
    const id = 'a.completed>t'
    expect(toFlow(draw(text)).edges[0]!.conditions).toEqual(['!(a.v > 0)'])
    expect(gateAfter(text, (flow) => relinked(flow, id, { conditions: ['a.v > 5'] }))).toBe(
      'event:a.completed && {{ a.v > 5 }}',
    )
    expect(gateAfter(text, (flow) => relinked(flow, id, { conditions: [] }))).toBe('event:a.completed')
  })

  it('led to another node it takes its sign and its condition along', () => {
    const before = pipeline([node('a'), node('s'), node('t', '!event:a.failed && {{ a.v > 0 }}')])
    const { definition } = withFlow(before, (flow) => reconnected(flow, 'a.failed>t', 'a.failed', 's'))
    const gates = Object.fromEntries(nodesOf(definition).map((one) => [one.id, gateOf(one)]))
    expect(gates['s']).toBe('!event:a.failed && {{ a.v > 0 }}')
    expect(edgeOf('a.failed', 's')?.id).toBe('a.failed>s')
  })

  it('a condition that does not parse is refused, and nothing changes', () => {
    const before = draw('event:a.completed')
    const after = withFlow(before, (flow) => relinked(flow, 'a.completed>t', { conditions: ['a.v >'] }))
    expect(after.definition).toBe(before)
    expect(after.refused).toContain('startWhen of t')
  })
})
