import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { node, pipeline } from '@/testing/definitions'
import type { Definition } from './draft/draft'
import { edgeOf, fromFlow, toFlow, type Flow, type FlowEdge, whole } from './flow'

const ids = ['a', 'b', 'c', 'd', 'e']
const outcomes = ['completed', 'failed', 'skipped', 'approved']

const event = fc
  .oneof(
    fc
      .tuple(fc.constantFrom(...ids), fc.constantFrom(...outcomes))
      .map(([id, outcome]) => `${id}.${outcome}`),
    fc.constantFrom('pipeline.started', 'external.go', 'external.data.ready'),
  )
  .map((type) => `event:${type}`)
const { gate } = fc.letrec<{ gate: string }>((tie) => ({
  gate: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    event,
    fc.constantFrom('{{ a.v > 0 }}', "{{ b.w == 'x' }}"),
    tie('gate').map((one) => `!(${one})`),
    fc.tuple(tie('gate'), tie('gate')).map(([one, two]) => `(${one}) && ${two}`),
    fc.tuple(tie('gate'), tie('gate')).map(([one, two]) => `${one} || (${two})`),
  ),
}))
const position = fc.record({ x: fc.integer(), y: fc.integer() })
const member = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.tuple(fc.constantFrom(...ids), gate).map(([id, startWhen]) => node(id, startWhen)),
  },
  // What people have half typed.
  fc.constantFrom<unknown>({ task: 'noop' }, { id: 'f' }, { id: 7 }, null, 'text', {
    id: 'g',
    startWhen: 'event:',
  }),
)
const definition = fc
  .record({
    nodes: fc.array(member, { maxLength: 7 }),
    layout: fc.option(fc.dictionary(fc.constantFrom(...ids, 'zz', '__proto__'), position), {
      nil: undefined,
    }),
  })
  .map(({ nodes, layout }): Definition => pipeline(nodes, layout === undefined ? {} : { layout }))

function changed(before: Definition, flow: Flow): Definition {
  const after = fromFlow(before, flow)
  if (!after.ok) throw new Error(after.error)
  return after.value
}

const drawn = (flow: Flow) => flow.edges.map(({ id }) => id).sort()

it('rounds to numbers that a text says again', () => {
  expect(whole({ x: -0.2, y: 2.5 })).toEqual({ x: 0, y: 3 })
})

describe('the mapping of the canvas', () => {
  it('a definition that is drawn and not changed is the same definition, whatever stands in it', () => {
    fc.assert(
      fc.property(definition, (one) => {
        expect(changed(one, toFlow(one))).toBe(one)
      }),
    )
    for (const file of readdirSync('examples').filter((name) => name.endsWith('.yaml'))) {
      const read = parseYaml(readFileSync(join('examples', file), 'utf8'))
      if (!read.ok) throw new Error(file)
      expect(changed(read.value as Definition, toFlow(read.value as Definition))).toBe(read.value)
    }
  })

  it('edges that come and go are the events of the gates afterwards, and nothing else changes', () => {
    const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(...ids), fc.constantFrom(...outcomes)), {
      maxLength: 4,
    })
    fc.assert(
      fc.property(definition, edits, (before, wanted) => {
        const flow = toFlow(before)
        const writable = flow.nodes.filter(({ id }) => !flow.unreadable.has(id))
        fc.pre(writable.length > 0)
        let edges: readonly FlowEdge[] = flow.edges
        for (const [pick, source, outcome] of wanted) {
          const target = writable[pick % writable.length]!.id
          const edge = edgeOf(`${source}.${outcome}`, target)!
          edges = edges.some(({ id }) => id === edge.id)
            ? edges.filter(({ id }) => id !== edge.id)
            : flow.nodes.some(({ id }) => id === source)
              ? [...edges, { ...edge, negated: false, conditions: [] }]
              : edges
        }
        const after = changed(before, { ...flow, edges })
        expect(drawn(toFlow(after))).toEqual(edges.map(({ id }) => id).sort())
        const gone = (one: Definition) =>
          JSON.stringify(one, (key, value: unknown) => (key === 'startWhen' ? undefined : value))
        expect(gone(after)).toBe(gone(before))
      }),
    )
  })

  it('says in the gate what was drawn', () => {
    const gateAfter = (startWhen: string, ...edges: string[]) => {
      const before = pipeline([node('a'), node('b'), node('c'), node('t', startWhen)])
      const drawnEdges = edges.map((type) => ({ ...edgeOf(type, 't')!, negated: false, conditions: [] }))
      const after = changed(before, { ...toFlow(before), edges: drawnEdges })
      return (after['nodes'] as { startWhen: string }[])[3]!.startWhen
    }
    expect(gateAfter('event:pipeline.started', 'a.completed')).toBe('event:a.completed')
    expect(gateAfter('event:a.completed', 'a.completed', 'b.completed')).toBe(
      'event:a.completed && event:b.completed',
    )
    expect(gateAfter('event:a.completed', 'a.completed', 'a.failed')).toBe(
      'event:a.completed || event:a.failed',
    )
    expect(
      gateAfter('event:a.completed || event:b.completed', 'a.completed', 'b.completed', 'c.completed'),
    ).toBe('event:a.completed || event:b.completed || event:c.completed')
    expect(gateAfter('event:a.completed && {{ a.v > 1 }}', 'a.failed')).toBe(
      'event:a.failed && {{ a.v > 1 }}',
    )
    expect(gateAfter('event:a.completed')).toBe('event:pipeline.started')
  })

  it('moves, adds and removes nodes, and leaves positions of others alone', () => {
    const before = pipeline([node('a'), { half: 'typed' }, node('b')], {
      layout: { a: { x: 1, y: 2 }, b: { x: 3, y: 4 } },
    })
    const flow = toFlow(before)
    const [a] = flow.nodes
    const c = { id: 'c', fields: node('c'), position: { x: 9, y: 9 } }
    const after = changed(before, { ...flow, nodes: [{ ...a!, position: { x: 5, y: 6 } }, c] })
    expect(after).toEqual(
      pipeline([node('a'), { half: 'typed' }, node('c')], {
        layout: { a: { x: 5, y: 6 }, c: { x: 9, y: 9 } },
      }),
    )
  })

  it('reports a gate that cannot be parsed, and changes nothing in it', () => {
    const before = pipeline([node('a'), node('b', 'event:a.completed &&')])
    const flow = toFlow(before)
    expect([...flow.unreadable.keys()]).toEqual(['b'])
    const edge = { ...edgeOf('a.completed', 'b')!, negated: false, conditions: [] }
    expect(fromFlow(before, { ...flow, edges: [edge] })).toMatchObject({ ok: false })
  })
})
