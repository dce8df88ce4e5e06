import { killInFlight } from '@/testing/kill-in-flight'
import { startServer } from '@/testing/server-process'
import { ms, quantile, type Row, type Workload } from './workload'

const KILLS = 10
const RUNS = 1_000

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
    // A kill that came when everything had ended measures nothing.
    const reports = (await killInFlight({ kills: KILLS, runs: RUNS, seed: 6 })).filter(({ open }) => open > 0)
    const row = (name: string, values: readonly number[], goal: string): Row => ({
      name,
      figure: ms(quantile(values, 0.5)),
      limit: `${ms(limit)} an empty boot`,
      ratio: quantile(values, 0.5) / limit,
      goal,
    })
    return [
      row(
        'start → first run moves',
        reports.map(({ firstMs }) => firstMs),
        '≤ 500 ms after the engine starts',
      ),
      row(
        'start → every run has moved',
        reports.map(({ allMs }) => allMs),
        '≤ 2 s after the engine starts',
      ),
      row(
        'start → answers',
        reports.map(({ bootMs }) => bootMs),
        '–',
      ),
    ]
  },
}
