import {
  bestMakespan,
  fifoMakespan,
  heftMakespan,
  lowerBound,
  ownMakespan,
  randomProblem,
} from '@/testing/makespan'
import { Random } from '@/testing/simulation/random'
import { quantile, type Workload } from './workload'

const SMALL = 1_000
const LARGE = 100
const NODES = 100

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length
const times = (ratio: number): string => `${ratio.toFixed(3)} ×`

export const w15: Workload = {
  id: 'W15',
  title: 'how long runs take with limited slots and resources',
  async run() {
    const rows = [small(), large(`${LARGE} graphs of ${NODES} nodes, 8 slots, up to three pools`)]
    return rows.flat()
  },
}

/** Against the best order there is, by brute force. */
function small() {
  const [own, fifo, heft]: number[][] = [[], [], []]
  for (let seed = 1; seed <= SMALL; seed += 1) {
    const random = new Random(seed)
    const problem = randomProblem(random, random.whole(2, 10))
    const best = bestMakespan(problem)
    if (best === null) continue
    own!.push(ownMakespan(problem) / best)
    fifo!.push(fifoMakespan(problem) / best)
    heft!.push(heftMakespan(problem) / best)
  }
  const limit = 'the optimum'
  return [
    row(`${own!.length} random graphs of 2 to 10 nodes`, times(mean(own!)), {
      limit,
      goal: '≤ 1.05 × on average',
    }),
    row('the same, P95', times(quantile(own!, 0.95)), { limit, goal: '–' }),
    row('first come, first served', times(mean(fifo!)), { limit, goal: '–' }),
    row('longest way first, whatever fits', times(mean(heft!)), { limit, goal: '–' }),
  ]
}

/** Against what no order can beat: the longest way, and work over width. */
function large(name: string) {
  const [own, fifo, heft]: number[][] = [[], [], []]
  for (let seed = 1; seed <= LARGE; seed += 1) {
    const problem = randomProblem(new Random(seed), NODES, 8)
    const bound = lowerBound(problem)
    own!.push(ownMakespan(problem) / bound)
    fifo!.push(fifoMakespan(problem) / bound)
    heft!.push(heftMakespan(problem) / bound)
  }
  const limit = 'the lower bound'
  return [
    row(name, times(mean(own!)), { limit, goal: 'no worse than first come, first served' }),
    row('first come, first served', times(mean(fifo!)), { limit, goal: '–' }),
    row('longest way first, whatever fits', times(mean(heft!)), { limit, goal: '–' }),
  ]
}

function row(name: string, figure: string, { limit, goal }: { limit: string; goal: string }) {
  return { name, figure, limit, ratio: null, goal }
}
