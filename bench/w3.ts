import type { Entry } from '@/core/engine/event'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { openEngine, type BenchEngine } from './engine'
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
    // The rows of one such work, for the limit; kept while nothing is timed.
    const entries = await entriesOf()
    const transactions = chunks(entries, RAW_ROWS).map((some) => [
      { executions: [{ owner: '', epoch: 0, executionId: 'raw', expectedSeq: 0, entries: some }] },
    ])
    for (let repeat = 0; repeat <= REPEATS; repeat++) {
      await using engine = await openEngine({ keepBatches: false })
      const seconds = await timed(engine)
      const raw = (await rawAppend(transactions)).reduce((sum, time) => sum + time, 0) / 1000
      if (repeat === 0) continue
      rates.push((RUNS * DAG.nodes.length) / seconds)
      limits.push(entries.length / raw)
      shares.push(raw / seconds)
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

/** Seconds from the first start to the last outcome. */
async function timed(engine: BenchEngine): Promise<number> {
  await engine.define(DAG)
  await engine.run(DAG.id)
  engine.batches.length = 0
  const started = performance.now()
  await Promise.all(Array.from({ length: RUNS }, () => engine.run(DAG.id)))
  return (performance.now() - started) / 1000
}

async function entriesOf(): Promise<Entry[]> {
  await using engine = await openEngine({ keepBatches: true })
  await timed(engine)
  return engine.batches.flatMap((batch) => batch.executions.flatMap((write) => write.entries))
}

function chunks<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size),
  )
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

const DAG = layers([1, 6, 6, 6, 1])
