import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Definition } from '@/components/editor/model/draft/draft'
import { gateOf, nodesOf, toFlow } from '@/components/editor/model/flow'
import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import { node, pipeline, set, S } from '@/testing/definitions'
import { copied, pasted, readFragment } from './clipboard'

const at = { x: 100, y: 50 }

function put(into: Definition, text: string) {
  const fragment = readFragment(text)
  if (!fragment.ok) throw new Error(fragment.error)
  const after = pasted(into, fragment.value, at)
  if (!after.ok) throw new Error(after.error)
  return after.value
}
const refusal = (text: string) => {
  const read = readFragment(text)
  return read.ok ? 'read' : read.error
}
const byId = (definition: Definition) => new Map(nodesOf(definition).map((one) => [one.id, one]))

const chain = pipeline(
  [
    set('a', { rows: 3 }),
    set('b', { n: '{{ a.rows + 1 }}' }, 'event:a.completed && {{ a.rows > 1 }}', {
      name: 'after {{ a.rows }}',
    }),
    node('c', 'event:b.completed || event:b.failed || event:external.go'),
  ],
  {
    layout: { a: { x: 0, y: 0 }, b: { x: 300, y: 0 }, c: { x: 600, y: 40 } },
    notes: [{ id: 'n', text: 'hi', x: 10, y: 200 }],
  },
)

describe('nodes as text', () => {
  it('a document of another tool is named', () => {
    expect(refusal('apiVersion: argoproj.io/v1alpha1\nkind: Workflow')).toMatch(/a document of Argo/)
    expect(refusal('jobs: { test: { runs-on: ubuntu-latest, steps: [] } }')).toMatch(/of GitHub Actions/)
  })

  it('copies get fresh ids, and what they say of each other follows', () => {
    const { definition, nodes } = put(chain, copied(chain, new Set(['a', 'b']), new Set()))
    expect(nodes).toEqual(['a_2', 'b_2'])
    expect(byId(definition).get('b_2')).toEqual(
      set('b_2', { n: '{{ a_2.rows + 1 }}' }, 'event:a_2.completed && {{ a_2.rows > 1 }}', {
        name: 'after {{ a.rows }}',
      }),
    )
    expect(definition['layout']).toMatchObject({
      a_2: { x: 100, y: 50 },
      b_2: { x: 400, y: 50 },
      a: { x: 0, y: 0 },
    })
    expect(nodesOf(definition).slice(0, 3)).toEqual(nodesOf(chain))
  })

  it('what does not come along is struck from gates; events from outside stay', () => {
    const { definition, nodes } = put(chain, copied(chain, new Set(['c']), new Set()))
    expect(gateOf(byId(definition).get(nodes[0]!)!)).toBe('event:external.go')
    expect(
      gateOf(byId(put(pipeline([]), copied(chain, new Set(['b']), new Set())).definition).get('b')!),
    ).toBe(S)
  })

  it('takes whole definitions, lists, single nodes and JSON, and notes', () => {
    const empty = pipeline([])
    expect(put(empty, stringifyYaml(chain)).nodes).toEqual(['a', 'b', 'c'])
    expect(put(empty, '- { id: x, task: noop }\n- { task: noop }').nodes).toEqual(['x', 'noop'])
    expect(put(empty, 'task: duckdb.query').nodes).toEqual(['duckdb_query'])
    expect(put(empty, JSON.stringify(chain)).nodes).toEqual(['a', 'b', 'c'])
    const notes = put(chain, copied(chain, new Set(), new Set(['n'])))
    expect(notes.notes).toEqual(['note_1'])
    expect(notes.definition['notes']).toMatchObject([
      { id: 'n' },
      { id: 'note_1', text: 'hi', x: 100, y: 50 },
    ])
  })

  it.each([
    ['', /empty/],
    ['hello', /no nodes/],
    ['42', /no nodes/],
    ['nodes: [', /no nodes: .*line/],
    ['nodes: 7', /not a list of nodes/],
    ['nodes: [1, 2]', /not a list of nodes/],
    ['nodes: []', /no nodes/],
    ['{"a": 1}', /no nodes/],
    ['<script>alert(1)</script>', /no nodes/],
    ['x'.repeat(5_000_001), /5 MB/],
  ])('refuses %.30s in words', (text, words) => {
    expect(refusal(text)).toMatch(words)
  })

  it('names of hostile texts become ids, once each, and too many nodes are refused', () => {
    const { nodes } = put(
      pipeline([node('a')]),
      'nodes:\n  - { id: constructor, task: noop }\n  - { id: "<b>", task: noop }\n  - { id: "__proto__", task: noop }\n  - { id: a, task: noop }\n  - { id: a, task: noop }',
    )
    expect(nodes).toEqual(['constructor_2', 'b', 'proto', 'a_2', 'a_3'])
    const many = pipeline(Array.from({ length: 9_999 }, (_, index) => node(`n${index}`)))
    const two = readFragment('- { id: x, task: noop }\n- { id: y, task: noop }')
    expect(two.ok && pasted(many, two.value, at)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/10000/),
    })
  })

  it('a copy of thousands of nodes can be pasted, and what is nested without end is refused', () => {
    const many = pipeline(
      Array.from({ length: 4_000 }, (_, at) => node(`n${at}`, at === 0 ? S : `event:n${at - 1}.completed`)),
    )
    const all = new Set(nodesOf(many).map(({ id }) => id))
    const { definition, nodes } = put(many, copied(many, all, new Set()))
    expect(nodes).toHaveLength(4_000)
    expect(gateOf(nodesOf(definition).at(-1)!)).toBe('event:n3998_2.completed')
    expect(refusal(`${'['.repeat(50_000)}${']'.repeat(50_000)}`)).toMatch(/no nodes/)
  })

  it('a copy that is pasted is the same graph under other names', () => {
    const ids = ['a', 'b', 'c', 'd', 'e']
    const event = fc
      .tuple(fc.constantFrom(...ids), fc.constantFrom('completed', 'failed'))
      .map(([id, outcome]) => `event:${id}.${outcome}`)
    const condition = fc.constantFrom(...ids).map((id) => `{{ ${id}.v > 0 }}`)
    const gate = fc
      .array(fc.oneof({ weight: 3, arbitrary: event }, condition), { minLength: 1, maxLength: 4 })
      .chain((terms) => fc.constantFrom(' && ', ' || ').map((join) => terms.join(join)))
    const graph = fc
      .tuple(
        ...ids.map((id) =>
          fc
            .tuple(gate, fc.constantFrom(...ids))
            .map(([text, reads]) => set(id, { v: `{{ ${reads}.v }}` }, text)),
        ),
      )
      .map((nodes) => pipeline(nodes))
    fc.assert(
      fc.property(graph, fc.subarray(ids, { minLength: 1 }), (before, chosen) => {
        const { definition, nodes } = put(before, copied(before, new Set(chosen), new Set()))
        const order = nodesOf(before)
          .map(({ id }) => id)
          .filter((id) => chosen.includes(id))
        const name = new Map(order.map((id, index) => [id, nodes[index]!]))
        expect(new Set(nodes).size).toBe(chosen.length)
        const inner = (flow: ReturnType<typeof toFlow>, of: readonly string[]) =>
          flow.edges.filter(({ source, target }) => of.includes(source) && of.includes(target))
        const wanted = inner(toFlow(before), order).map(
          ({ source, outcome, target }) => `${name.get(source)}.${outcome}>${name.get(target)}`,
        )
        expect(inner(toFlow(definition), nodes).map(({ id }) => id)).toEqual(wanted)
        for (const id of order) {
          const reads =
            /\{\{ (\w+)\.v/.exec(JSON.stringify(byId(before).get(id)?.['inputBindings']))?.[1] ?? ''
          expect(byId(definition).get(name.get(id)!)?.['inputBindings']).toEqual({
            v: `{{ ${name.get(reads) ?? reads}.v }}`,
          })
        }
        expect(nodesOf(definition).slice(0, ids.length)).toEqual(nodesOf(before))
      }),
    )
  })
})
