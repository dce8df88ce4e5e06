import { checkDefinition, createChecker } from '@/core/pipeline/check/check'
import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import { ms, quantile, type Row, type Workload } from './workload'

const SIZES = [500, 5_000]
const WARM_UP = 20
const REPEATS = 60
const GOALS = new Map([
  [500, { whole: '≤ 10 ms', edit: '≤ 1 ms' }],
  [5_000, { whole: '≤ 150 ms', edit: '–' }],
])

/** One check for everybody: schema, syntax, graph, reads, compilation and proofs. */
export const w4: Workload = {
  id: 'W4',
  title:
    'check (validate and prove) a definition of 500 (5,000) nodes, 750 (7,500) edges, two expressions a node',
  async run() {
    const rows: Row[] = []
    for (const size of SIZES) {
      const definition = wide(size)
      const settings = { tasks: taskCatalog, maxNodes: size }
      const bytes = JSON.stringify(definition)
      const limit = quantile(
        times(() => JSON.parse(bytes) as unknown),
        0.5,
      )
      const verdict = checkDefinition(definition, settings)
      if (!verdict.valid || verdict.findings.length > 0)
        throw new Error(
          `findings in a definition without any: ${JSON.stringify(verdict.findings.slice(0, 3))}`,
        )
      const edges = verdict.graph?.edges.length ?? 0
      const check = createChecker(settings)
      const edits = [
        definition,
        edited(definition, (gate) => `${gate} && {{ n0.total < 7 }}`),
        edited(definition, (gate) => gate, { description: 'in other words' }),
      ]
      let turn = 0
      const figures = [
        ['check', times(() => checkDefinition(definition, settings)), GOALS.get(size)?.whole],
        [
          'check again after an edit of one node of',
          times(() => check({ ...(edits[turn++ % edits.length] ?? definition) })),
          GOALS.get(size)?.edit,
        ],
      ] as const
      for (const [name, found, goal] of figures) {
        const [p50, p95] = [quantile(found, 0.5), quantile(found, 0.95)]
        rows.push({
          name: `${name} ${size.toLocaleString('en')} nodes, ${edges.toLocaleString('en')} edges`,
          figure: `P50 ${ms(p50)}, P95 ${ms(p95)}`,
          limit: `${ms(limit)} JSON.parse`,
          ratio: p50 / limit,
          goal: `P95 ${goal}`,
        })
      }
    }
    rows.push(wideGates())
    return rows
  },
}

/** Every node waits for many of those before it. */
function wideGates(): Row {
  const [size, atoms] = [500, 160]
  const nodes = Array.from({ length: size }, (_, index) => ({
    id: `n${index}`,
    task: 'noop',
    startWhen:
      index === 0
        ? 'event:pipeline.started'
        : Array.from(
            { length: Math.min(index, atoms) },
            (_, at) => `event:n${index - 1 - at}.completed`,
          ).join(' && '),
  }))
  const definition: PipelineDefinition = { schemaVersion: 1, id: 'joins', nodes }
  const bytes = JSON.stringify(definition)
  const settings = { tasks: taskCatalog, maxNodes: size }
  const limit = quantile(
    times(() => JSON.parse(bytes) as unknown),
    0.5,
  )
  const found = times(() => checkDefinition(definition, settings), 2, 10)
  return {
    name: `check ${size} nodes of ${atoms} atoms a gate`,
    figure: `P50 ${ms(quantile(found, 0.5))}, P95 ${ms(quantile(found, 0.95))}`,
    limit: `${ms(limit)} JSON.parse`,
    ratio: quantile(found, 0.5) / limit,
    goal: '≤ 1 s',
  }
}

/** The definition with another last node. */
function edited(
  definition: PipelineDefinition,
  gate: (text: string) => string,
  more: object = {},
): PipelineDefinition {
  const last = definition.nodes.at(-1)!
  return {
    ...definition,
    nodes: [...definition.nodes.slice(0, -1), { ...last, ...more, startWhen: gate(last.startWhen) }],
  }
}

/** Milliseconds of each repeat, once the code is warm. */
function times(work: () => unknown, warmUp = WARM_UP, repeats = REPEATS): number[] {
  for (let index = 0; index < warmUp; index++) work()
  return Array.from({ length: repeats }, () => {
    const started = performance.now()
    work()
    return performance.now() - started
  })
}

/** Every node waits for one or two of the nodes before it, and reads what they made, each in its own words. */
function wide(size: number): PipelineDefinition {
  return {
    schemaVersion: 1,
    id: 'wide',
    name: 'wide',
    inputs: { factor: { type: 'number', default: 2 } },
    nodes: Array.from({ length: size }, (_, index) => {
      const first = `n${index - 1 - (index % 7 > index - 1 ? 0 : index % 7)}`
      const second = `n${Math.floor(index / 2)}`
      const two = index % 2 === 0 && second !== first && index > 1
      return {
        id: `n${index}`,
        name: `Step ${index}`,
        description: 'adds up what came before it',
        task: 'set',
        startWhen:
          index === 0
            ? 'event:pipeline.started'
            : `event:${first}.completed${two ? ` && event:${second}.completed` : ''} && {{ ${first}.total < ${1_000_000 + index} }}`,
        inputBindings: {
          total: index === 0 ? 1 : `{{ ${first}.total + pipeline.input.factor * ${index} }}`,
          label: `step ${index}`,
        },
      }
    }),
  }
}
