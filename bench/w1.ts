import { openEngine } from './engine'
import { rawAppend } from './raw-append'
import { ms, quantile, type Workload } from './workload'

const NODES = 40
const WARM_UP = 10
const RUNS = 100

export const w1: Workload = {
  id: 'W1',
  title: `one run of ${NODES} no-op nodes in a line, start to outcome, ${RUNS} times one after the other`,
  async run() {
    await using engine = await openEngine({ keepBatches: true })
    await engine.define({
      schemaVersion: 1,
      id: 'line',
      name: 'line',
      nodes: Array.from({ length: NODES }, (_, index) => ({
        id: `n${index}`,
        task: 'noop',
        startWhen: index === 0 ? 'event:pipeline.started' : `event:n${index - 1}.completed`,
      })),
    })
    for (let index = 0; index < WARM_UP; index++) await engine.run('line')
    engine.batches.length = 0
    const times: number[] = []
    for (let index = 0; index < RUNS; index++) {
      const started = performance.now()
      await engine.run('line')
      times.push(performance.now() - started)
    }
    const commits = engine.batches.length / RUNS
    const raw = await rawAppend(engine.batches.map((batch) => [batch]))
    const limits = Array.from({ length: RUNS }, (_, run) =>
      raw
        .slice(Math.round(run * commits), Math.round((run + 1) * commits))
        .reduce((sum, time) => sum + time, 0),
    )
    const [p50, p99, limit] = [quantile(times, 0.5), quantile(times, 0.99), quantile(limits, 0.5)]
    return [
      {
        name: 'P50',
        figure: `${ms(p50)} in ${commits.toFixed(1)} commits`,
        limit: `${ms(limit)} raw commits`,
        ratio: p50 / limit,
        goal: '≤ 2 × limit',
      },
      {
        name: 'P99',
        figure: ms(p99),
        limit: `${ms(quantile(limits, 0.99))} raw commits`,
        ratio: p99 / quantile(limits, 0.99),
        goal: '≤ 40 ms',
      },
    ]
  },
}
