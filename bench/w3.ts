import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition'
import { openEngine } from './engine'
import { rawAppend } from './raw-append'
import { perSecond, quantile, type Workload } from './workload'

const RUNS = 1_000
const REPEATS = 5
/** Rows that the limit appends in one transaction. */
const RAW_ROWS = 1_000

export const w3: Workload = {
  id: 'W3',
  title: `${RUNS.toLocaleString('en')} runs of a 20-node DAG (layers 1-6-6-6-1, two parents each), started at once, ${REPEATS} times`,
  async run() {
    const rates: number[] = []
    const shares: number[] = []
    const limits: number[] = []
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      await using engine = await openEngine({ keepBatches: true })
      const definition = layers([1, 6, 6, 6, 1])
      await engine.define(definition)
      await engine.run(definition.id)
      engine.batches.length = 0
      const started = performance.now()
      await Promise.all(Array.from({ length: RUNS }, () => engine.run(definition.id)))
      const seconds = (performance.now() - started) / 1000
      const entries = engine.batches.flatMap((batch) => batch.executions.flatMap((write) => write.entries))
      const thousand = {
        executions: [] as { executionId: string; expectedSeq: number; entries: typeof entries }[],
      }
      const transactions = []
      for (let at = 0; at < entries.length; at += RAW_ROWS) {
        transactions.push([
          {
            ...thousand,
            executions: [{ executionId: 'raw', expectedSeq: 0, entries: entries.slice(at, at + RAW_ROWS) }],
          },
        ])
      }
      const raw = (await rawAppend(transactions)).reduce((sum, time) => sum + time, 0) / 1000
      if (repeat === 0) continue
      rates.push((RUNS * definition.nodes.length) / seconds)
      limits.push(entries.length / raw)
      shares.push(entries.length / seconds / (entries.length / raw))
    }
    return [
      {
        name: 'durable node completions',
        figure: perSecond(quantile(rates, 0.5), 'nodes'),
        limit: perSecond(quantile(limits, 0.5), 'raw rows'),
        ratio: quantile(shares, 0.5),
        goal: '≥ 10,000/s; ≥ 0.15 of the limit (rows for rows)',
      },
    ]
  },
}

function layers(sizes: readonly number[]): PipelineDefinition {
  const nodes: NodeDefinition[] = []
  let before: string[] = []
  for (const [layer, size] of sizes.entries()) {
    const here = Array.from({ length: size }, (_, index) => `l${layer}_${index}`)
    for (const [index, id] of here.entries()) {
      const parents =
        size === 1
          ? before
          : [...new Set([before[index % before.length], before[(index + 1) % before.length]])]
      const startWhen =
        before.length === 0
          ? 'event:pipeline.started'
          : parents.map((parent) => `event:${parent}.completed`).join(' && ')
      nodes.push({ id, task: 'noop', startWhen })
    }
    before = here
  }
  return { schemaVersion: 1, id: 'layers', name: 'layers', nodes }
}
