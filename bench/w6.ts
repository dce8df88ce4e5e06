import { killInFlight } from '@/testing/kill-in-flight'
import { startServer } from '@/testing/server-process'
import { ms, quantile, type Row, type Workload } from './workload'

/** `PENSTOCK_KILLS_IN_FLIGHT=200x1000`, as the test of the same name. */
const [KILLS, RUNS] = (process.env['PENSTOCK_KILLS_IN_FLIGHT'] ?? '10x1000').split('x').map(Number) as [
  number,
  number,
]

export const w6: Workload = {
  id: 'W6',
  title: `kill -9 with ${RUNS.toLocaleString('en')} runs in flight, restart at once, ${KILLS} times; every journal is read afterwards`,
  async run() {
    const boots: number[] = []
    for (let boot = 0; boot < 3; boot++) {
      const began = performance.now()
      const server = await startServer()
      boots.push(performance.now() - began)
      await server.stop()
    }
    const limit = quantile(boots, 0.5)
    const survival = await killInFlight({ kills: KILLS, runs: RUNS, seed: 6 })
    const open = survival.kills.map((kill) => kill.open)
    const row = (name: string, values: readonly number[], goal: string): Row => ({
      name,
      figure: `P50 ${ms(quantile(values, 0.5))}, P99 ${ms(quantile(values, 0.99))}`,
      limit: `${ms(limit)} an empty boot`,
      ratio: quantile(values, 0.5) / limit,
      goal,
    })
    // A kill that came when everything had ended has no first run.
    const hit = survival.kills.filter((kill) => kill.open > 0)
    return [
      {
        name: 'runs open at the kill',
        figure: `${quantile(open, 0.5)}, least ${Math.min(...open)}`,
        limit: `${survival.runs} runs, ${survival.events} events`,
        ratio: null,
        goal: 'none lost, no node completed twice',
      },
      row(
        'process start → first run moves',
        hit.map(({ firstMs }) => firstMs),
        '≤ 500 ms after the engine starts',
      ),
      row(
        'process start → every run has moved',
        hit.map(({ allMs }) => allMs),
        '≤ 2 s after the engine starts',
      ),
      row(
        'process start → answers',
        hit.map(({ bootMs }) => bootMs),
        '–',
      ),
    ]
  },
}
