import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/tasks/contracts'
import { parseYaml } from '@/core/pipeline/yaml/yaml'
import { S, approval, node, pipeline, set } from '@/testing/definitions'
import { checkDefinition, createChecker } from './check'

const settings = { tasks: taskCatalog, maxNodes: 10_000 }
const check = (input: unknown) => checkDefinition(input, settings)

describe('a check', () => {
  it('tells what validation finds and what is proven, each once', () => {
    const found = check(
      pipeline(
        [
          set('load', { rows: 1 }),
          node('use', `${S} || event:load.completed`),
          node('after', 'event:use.completed', {
            task: 'log',
            inputBindings: { message: '{{ load.rows }}' },
          }),
        ],
        { inputs: { station: { type: 'string' } } },
      ),
    )
    expect(found.valid).toBe(true)
    expect(found.findings.map(({ code, severity, path }) => `${severity} ${path.join('.')} ${code}`)).toEqual(
      [
        'warning nodes.1.startWhen always_starts',
        'warning nodes.2.inputBindings.message may_be_missing',
        'info inputs.station unused_input',
      ],
    )
  })

  it('[R-86] refuses numbers that are none, as YAML writes them, with their place', () => {
    const read = parseYaml(
      'id: p\nnodes:\n  - { id: a, task: set, inputBindings: { x: .inf, y: [-.INF, .NaN] } }\n',
    )
    const found = check(read.ok ? read.value : null)
    expect(found.findings).toContainEqual(
      expect.objectContaining({
        path: ['nodes', 0, 'inputBindings', 'x'],
        message: expect.stringContaining('Infinity is not a JSON number') as string,
      }),
    )
  })

  it('proves nothing of what is not valid, and tells why it is not', () => {
    const found = check(pipeline([node('a', 'event:b.completed'), node('b', 'event:a.completed')]))
    expect(found.valid).toBe(false)
    expect(found.definition).toBeUndefined()
    expect(found.findings).toMatchObject([
      { code: 'cycle', severity: 'error', counterExample: [] },
      { code: 'no_start_node', severity: 'error', counterExample: [] },
    ])
  })

  it.each([null, 5, [], {}, { nodes: [] }, pipeline([null, 'x', {}])])('takes %j', (input) => {
    expect(check(input).valid).toBe(false)
  })
})

describe('a checker that is used again', () => {
  const ids = ['a', 'b', 'c', 'd']
  const gates = fc.constantFrom(
    S,
    'event:a.completed',
    'event:b.completed',
    'event:c.failed || event:a.completed',
    'event:b.completed && {{ a.v > 1 }}',
    'event:a.complete',
    `${S} && {{ pipeline.input.x > 1 }}`,
    'event:d.approved || event:d.rejected',
    '((',
  )
  const written = fc
    .tuple(fc.constantFrom(...ids), gates, fc.constantFrom('set', 'noop', 'approval', 'nope'), fc.boolean())
    .map(([id, gate, task, reads]) =>
      task === 'set'
        ? set(id, { v: reads ? '{{ b.v + c.v }}' : 1 }, gate)
        : task === 'approval'
          ? approval(id, gate)
          : node(id, gate, { task, ...(reads ? { extra: 1 } : {}) }),
    )
  const edit = fc.record({
    at: fc.nat(3),
    node: written,
    kind: fc.constantFrom('replace', 'replace', 'add', 'remove', 'swap', 'inputs', 'phases'),
  })

  it('[G-4] answers after every edit what one that knows nothing answers', () => {
    fc.assert(
      fc.property(
        fc.array(written, { minLength: 1, maxLength: 4 }),
        fc.array(edit, { maxLength: 8 }),
        (nodes, edits) => {
          const again = createChecker(settings)
          let definition: Record<string, unknown> & { nodes: object[] } = { id: 'p', nodes }
          expect(again(definition)).toEqual(check(structuredClone(definition)))
          for (const { at, node: fresh, kind } of edits) {
            const list = definition.nodes
            if (kind === 'inputs') definition = { ...definition, inputs: { x: { type: 'number' } } }
            else if (kind === 'phases') definition = { ...definition, phases: ['one', 'one'] }
            else if (kind === 'add') definition = { ...definition, nodes: [...list, fresh] }
            else if (kind === 'remove') definition = { ...definition, nodes: list.toSpliced(at, 1) }
            else if (kind === 'swap') definition = { ...definition, nodes: list.toReversed() }
            else definition = { ...definition, nodes: list.map((one, i) => (i === at ? fresh : one)) }
            expect(again(definition)).toEqual(check(structuredClone(definition)))
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

describe('[R-87] a join of many', () => {
  const ids = Array.from({ length: 800 }, (_, at) => `n${at}`)
  const joined = (join: string, word = 'completed') => ids.map((id) => `event:${id}.${word}`).join(join)
  const fan = (startWhen: string, more: object = {}) =>
    pipeline([...ids.map((id) => set(id, { v: 1 })), set('join', { sum: 1 }, startWhen, more)])

  it('of 800 nodes is valid, drawn with 800 edges and proven', () => {
    const found = check(fan(joined(' && '), { inputBindings: { all: ids.map((id) => `{{ ${id}.v }}`) } }))
    expect(found.findings).toEqual([])
    expect(found.graph?.edges).toHaveLength(800)
    expect(found.graph?.levels).toHaveLength(2)
  })

  it('tells of the one that is not needed to have what is read', () => {
    const gate = `(${joined(' || ')}) && event:n0.started`
    const found = check(fan(gate, { inputBindings: { one: '{{ n799.v }}' } }))
    expect(found.findings).toMatchObject([
      { code: 'may_be_missing', path: ['nodes', 800, 'inputBindings', 'one'], severity: 'warning' },
    ])
  })

  it('tells that it never starts', () => {
    const found = check(fan(`${joined(' && ')} && event:n799.failed`))
    expect(found.findings).toMatchObject([{ code: 'never_starts' }])
  })

  it('takes a thousand answers that exclude each other', () => {
    const asks = Array.from({ length: 1_000 }, (_, at) => `{{ n0.v == ${at} }}`).join(' || ')
    const found = check(fan(`event:n0.completed && (${asks})`))
    expect(found.findings).toEqual([])
  })

  it('refuses what is nested too deeply, and says so', () => {
    for (const gate of [`${'('.repeat(1_000)}${S}${')'.repeat(1_000)}`, `${'!'.repeat(1_000)}${S}`]) {
      const [found] = check(pipeline([node('a', gate)])).findings
      expect(found).toMatchObject({
        code: 'invalid_expression',
        path: ['nodes', 0, 'startWhen'],
        message: expect.stringContaining('nested deeper than 50 levels') as string,
      })
    }
  })

  it('is checked again after edits as if it were new', () => {
    const again = createChecker(settings)
    let definition = fan(joined(' && '))
    const edits = [
      joined(' || '),
      `${joined(' && ')} && !event:n5.failed`,
      joined(' && ', 'failed'),
      joined(' && '),
    ]
    for (const gate of edits) {
      const nodes = definition.nodes as object[]
      definition = { ...definition, nodes: [...nodes.slice(0, 800), { ...nodes[800], startWhen: gate }] }
      expect(again(definition)).toEqual(check(structuredClone(definition)))
    }
  })
})
