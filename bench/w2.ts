import type { JsonObject } from '@/core/engine/event'
import { openEngine } from './engine'
import { rawAppend } from './raw-append'
import { ms, quantile, type Row, type Workload } from './workload'

const REPEATS = 7

export const w2: Workload = {
  id: 'W2',
  title: `1 → forEach N no-op items → 1, start to outcome, ${REPEATS} times`,
  async run() {
    await using engine = await openEngine({ keepBatches: true })
    await engine.define({
      schemaVersion: 1,
      id: 'fan',
      name: 'fan',
      inputs: { n: { type: 'array' } },
      nodes: [
        { id: 'first', task: 'noop', startWhen: 'event:pipeline.started' },
        {
          id: 'each',
          task: 'noop',
          startWhen: 'event:first.completed',
          forEach: { items: '{{ pipeline.input.n }}' },
        },
        { id: 'last', task: 'noop', startWhen: 'event:each.completed' },
      ],
    })
    const rows: Row[] = []
    let thousand = 0
    for (const n of [1_000, 10_000]) {
      const inputs: JsonObject = { n: Array.from({ length: n }, (_, index) => index) }
      const times: number[] = []
      const limits: number[] = []
      for (let repeat = 0; repeat <= REPEATS; repeat++) {
        engine.batches.length = 0
        const started = performance.now()
        await engine.run('fan', inputs)
        const took = performance.now() - started
        if (repeat === 0) continue
        times.push(took)
        limits.push(
          (await rawAppend(engine.batches.map((batch) => [batch]))).reduce((sum, time) => sum + time, 0),
        )
      }
      const [own, limit] = [quantile(times, 0.5), quantile(limits, 0.5)]
      if (n === 1_000) thousand = own
      const goal = n === 1_000 ? '≤ 80 ms' : `≤ 12 × the 1,000 (here ${(own / thousand).toFixed(1)} ×)`
      rows.push({
        name: `${n.toLocaleString('en')} items, P50`,
        figure: ms(own),
        limit: `${ms(limit)} raw commits`,
        ratio: own / limit,
        goal,
      })
    }
    return rows
  },
}
