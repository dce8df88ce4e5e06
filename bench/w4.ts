import type { PipelineDefinition } from '@/core/pipeline/definition'
import { compilePipeline, type CompiledPipeline } from '@/core/pipeline/compile'
import { createProver, proveDefinition } from '@/core/pipeline/proofs'
import { validateDefinition } from '@/core/pipeline/validate'
import { taskCatalog } from '@/core/tasks/catalog'
import { ms, quantile, type Row, type Workload } from './workload'

const SIZES = [500, 5_000]
const WARM_UP = 10
const REPEATS = 50
const GOALS = new Map([
  [500, '≤ 10 ms'],
  [5_000, '≤ 150 ms'],
])

export const w4: Workload = {
  id: 'W4',
  title:
    'validate, compile and prove a definition of 500 (5,000) nodes, 750 (7,500) edges, two expressions a node',
  async run() {
    const rows: Row[] = []
    for (const size of SIZES) {
      const definition = wide(size)
      const bytes = JSON.stringify(definition)
      const limit = times(() => JSON.parse(bytes) as unknown)
      const verdict = validateDefinition(definition, { tasks: taskCatalog, maxNodes: size })
      if (!verdict.valid) throw new Error(JSON.stringify(verdict.issues.slice(0, 3)))
      const edges = verdict.graph?.edges.length ?? 0
      const validated = times(() => validateDefinition(definition, { tasks: taskCatalog, maxNodes: size }))
      const compiled = times(() => compilePipeline(definition, { revision: 1, tasks: taskCatalog }))
      const pipeline = compile(definition)
      const problems = proveDefinition(pipeline).length
      if (problems > 0) throw new Error(`${problems} problems in a definition without any`)
      const proven = times(() => proveDefinition(pipeline))
      const prove = createProver()
      const edits = [pipeline, compile(withLastEdited(definition))]
      let turn = 0
      const again = times(() => prove(edits[turn++ % 2] ?? pipeline))
      for (const [name, figures] of [
        ['validate', validated],
        ['compile', compiled],
        ['prove', proven],
        ['prove again after an edit of one node of', again],
      ] as const) {
        const [p50, p95, parse] = [quantile(figures, 0.5), quantile(figures, 0.95), quantile(limit, 0.5)]
        rows.push({
          name: `${name} ${size.toLocaleString('en')} nodes, ${edges.toLocaleString('en')} edges`,
          figure: `P50 ${ms(p50)}, P95 ${ms(p95)}`,
          limit: `${ms(parse)} JSON.parse`,
          ratio: p50 / parse,
          goal: `P95 ${GOALS.get(size)}`,
        })
      }
    }
    return rows
  },
}

function compile(definition: PipelineDefinition): CompiledPipeline {
  const compiled = compilePipeline(definition, { revision: 1, tasks: taskCatalog })
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues.slice(0, 3)))
  return compiled.pipeline
}

function withLastEdited(definition: PipelineDefinition): PipelineDefinition {
  const nodes = [...definition.nodes]
  const last = nodes.pop()!
  return {
    ...definition,
    nodes: [...nodes, { ...last, startWhen: `${last.startWhen} && {{ n0.total < 7 }}` }],
  }
}

/** Milliseconds of each repeat, once the code is warm. */
function times(work: () => unknown): number[] {
  for (let index = 0; index < WARM_UP; index++) work()
  return Array.from({ length: REPEATS }, () => {
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
