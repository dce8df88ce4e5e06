import { monitorEventLoopDelay } from 'node:perf_hooks'
import { benchActor, openEngine, type BenchEngine } from './engine'
import { rawAppend } from './raw-append'
import { ms, quantile, type Row, type Workload } from './workload'

const RUNS = 200
const RATE = 1_000
const SECONDS = 60
const STEPS = Math.ceil((RATE * SECONDS) / RUNS)
const WARM_UP_SECONDS = 3

/**
 * Open loop: inputs are due a millisecond apart whether or not the engine keeps up, and a latency counts from the instant at which its
 * input was due. A transition is an external event that starts and completes a node of a live run.
 */
export const w5: Workload = {
  id: 'W5',
  title: `transition latency, open loop, ${RATE.toLocaleString('en')} transitions/s over ${RUNS} live runs for ${SECONDS} s`,
  async run() {
    await using engine = await openEngine({ keepBatches: true })
    await engine.define({
      schemaVersion: 1,
      id: 'steps',
      name: 'steps',
      nodes: Array.from({ length: STEPS + 1 }, (_, step) => ({
        id: `n${step}`,
        task: 'noop',
        startWhen: `event:external.step.n${step}`,
      })),
    })
    const runs = await Promise.all(Array.from({ length: RUNS }, () => engine.start('steps')))
    await transitions(engine, runs, WARM_UP_SECONDS, 0)
    engine.batches.length = 0
    const loop = monitorEventLoopDelay({ resolution: 1 })
    loop.enable()
    const times = await transitions(engine, runs, SECONDS - WARM_UP_SECONDS, WARM_UP_SECONDS * RATE)
    loop.disable()
    const limits = await rawAppend(engine.batches.map((batch) => [batch]))
    const rows: Row[] = [0.5, 0.9, 0.99].map((share, at) => {
      const [own, limit] = [quantile(times, share), quantile(limits, share)]
      return {
        name: `P${share * 100}`,
        figure: ms(own),
        limit: `${ms(limit)} one commit`,
        ratio: own / limit,
        goal: ['≤ 1 ms', '≤ 3 ms', `≤ ${ms(limit + 5)} (limit + 5 ms)`][at]!,
      }
    })
    rows.push({
      name: 'longest stall of the event loop',
      figure: ms(loop.max / 1e6),
      limit: '–',
      ratio: null,
      goal: '≤ 20 ms',
    })
    return rows
  },
}

/** @returns milliseconds from the instant at which each input was due until it was durable and published */
async function transitions(
  engine: BenchEngine,
  runs: readonly string[],
  seconds: number,
  from: number,
): Promise<number[]> {
  const times: number[] = []
  const answers: Promise<void>[] = []
  const started = performance.now()
  const total = seconds * RATE
  for (let sent = 0; sent < total;) {
    const due = Math.min(total, Math.floor(((performance.now() - started) * RATE) / 1_000))
    for (; sent < due; sent++) {
      const dueAt = started + (sent * 1_000) / RATE
      const at = from + sent
      const submitted = engine.engine.submit({
        executionId: runs[at % runs.length]!,
        input: {
          type: 'publish_event',
          eventType: `external.step.n${Math.floor(at / runs.length)}`,
          payload: {},
          actor: benchActor,
        },
      })
      answers.push(
        submitted.then((answer) => {
          if (!answer.ok) throw new Error(answer.rejection.message)
          times.push(performance.now() - dueAt)
        }),
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await Promise.all(answers)
  return times
}
