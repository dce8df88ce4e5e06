import { readFileSync } from 'node:fs'
import type { JsonObject } from '@/core/engine/event'
import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import { startServer } from '@/testing/server-process'
import { openEngine } from './engine'
import { rawAppend } from './raw-append'
import { createRestDriver, type RestDriver } from './rest-driver'
import { ms, perSecond, quantile, type Row, type Workload } from './workload'

const REPEATS = 7
const CHAIN = 40
const CHAINS_AT_ONCE = 50
const FAN = 1_000
const DAG_RUNS = 500
const PARKED = 5_000
const RESUMED = 100

type Driven = { readonly rest: RestDriver; readonly pid: number }

export const w12: Workload = {
  id: 'W12',
  title: 'what users do over REST and SSE, the driver in a process of its own',
  async *run() {
    const server = await startServer({ env: { PENSTOCK_RATE_LIMIT: '1000000', PENSTOCK_LOG_LEVEL: 'error' } })
    const rest = createRestDriver({ port: Number(new URL(server.origin).port), token: server.token })
    try {
      const driven = { rest, pid: server.pid }
      for (const definition of [chain, fan, dag, gate]) await rest.post('/pipelines', definition, 201)
      yield await latency(driven, chain, '≤ 12 ms')
      yield await rate(driven, chain, CHAINS_AT_ONCE, '≥ 12,000 steps/s')
      yield await latency(driven, fan, '≤ 50 ms')
      yield await rate(driven, dag, DAG_RUNS, '≥ 12,100 steps/s')
      yield* await parkedRuns(driven)
    } finally {
      rest.close()
      await server.stop()
    }
  },
}

/** From sending the start to reading the outcome, one run after the other. */
async function latency({ rest }: Driven, definition: PipelineDefinition, goal: string): Promise<Row> {
  const times: number[] = []
  for (let repeat = -2; repeat < REPEATS * 3; repeat++) {
    const started = performance.now()
    await runOne(rest, definition)
    if (repeat >= 0) times.push(performance.now() - started)
  }
  const limit = await rawMs(definition, 1)
  const [figure, slowest] = [quantile(times, 0.5), quantile(times, 0.9)]
  const name = definition === chain ? `a chain of ${CHAIN}` : `1 → ${FAN.toLocaleString('en')} → 1`
  return {
    name,
    figure: `${ms(figure)} (P90 ${ms(slowest)})`,
    limit: `${ms(limit)} raw`,
    ratio: figure / limit,
    goal,
  }
}

/** Steps a second when so many runs are started at once, from the first start to the last outcome read. */
async function rate(
  { rest }: Driven,
  definition: PipelineDefinition,
  runs: number,
  goal: string,
): Promise<Row> {
  const steps = runs * definition.nodes.length
  const rates: number[] = []
  for (let repeat = -1; repeat < REPEATS; repeat++) {
    const started = performance.now()
    await Promise.all(Array.from({ length: runs }, () => runOne(rest, definition)))
    if (repeat >= 0) rates.push((steps * 1000) / (performance.now() - started))
  }
  const limit = (steps * 1000) / (await rawMs(definition, runs))
  const figure = quantile(rates, 0.5)
  return {
    name: `${runs} runs of ${definition.nodes.length} at once`,
    figure: perSecond(figure, 'steps'),
    limit: perSecond(limit, 'steps raw'),
    ratio: figure / limit,
    goal,
  }
}

/** Memory of runs that wait for an event, and how long it takes until so many that get theirs have ended. */
async function parkedRuns({ rest, pid }: Driven): Promise<Row[]> {
  const before = residentBytes(pid)
  const ids: string[] = []
  const start = async () => {
    while (ids.length < PARKED) ids.push(await startOne(rest, gate))
  }
  await Promise.all(Array.from({ length: 32 }, start))
  const bytes = (residentBytes(pid) - before) / ids.length
  const times: number[] = []
  for (let round = 0; round < REPEATS; round++) {
    const some = ids.splice(0, RESUMED)
    const opened: Promise<void>[] = []
    const outcomes = some.map((id) => {
      let outcome!: Promise<void>
      opened.push(new Promise((resolve) => (outcome = rest.follow(id, resolve))))
      return outcome
    })
    await Promise.all(opened)
    const started = performance.now()
    const sent = some.map((id) => rest.post('/events', { execution_id: id, event_type: 'external.go' }, 202))
    await Promise.all([...sent, ...outcomes])
    times.push(performance.now() - started)
  }
  const limit = await rawMs(resumedHalf, RESUMED)
  const figure = quantile(times, 0.5)
  return [
    {
      name: `a parked run of ${PARKED.toLocaleString('en')}`,
      figure: `${Math.round(bytes)} B`,
      limit: '–',
      ratio: null,
      goal: '≤ 1,024 B',
    },
    {
      name: `${RESUMED} of them go on`,
      figure: ms(figure),
      limit: `${ms(limit)} raw`,
      ratio: figure / limit,
      goal: '≤ 25 ms',
    },
  ]
}

const inputsOf = (definition: PipelineDefinition): JsonObject =>
  definition === fan ? { n: Array.from({ length: FAN }, (_, index) => index) } : {}

async function startOne(rest: RestDriver, definition: PipelineDefinition): Promise<string> {
  const body = { inputs: inputsOf(definition) }
  const answer = await rest.post(`/pipelines/${definition.id}/executions`, body, 202)
  return (answer as { execution_id: string }).execution_id
}

async function runOne(rest: RestDriver, definition: PipelineDefinition): Promise<void> {
  await rest.follow(await startOne(rest, definition))
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]
  return Number(kilobytes) * 1024
}

/** Milliseconds that the same rows take in the same transactions, appended raw: the median of several tries. */
async function rawMs(definition: PipelineDefinition, runs: number): Promise<number> {
  const inputs = inputsOf(definition)
  await using engine = await openEngine({ keepBatches: true })
  await engine.define(definition)
  await engine.run(definition.id, inputs)
  engine.batches.length = 0
  await Promise.all(Array.from({ length: runs }, () => engine.run(definition.id, inputs)))
  const times: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const raw = await rawAppend(engine.batches.map((batch) => [batch]))
    times.push(raw.reduce((sum, time) => sum + time, 0))
  }
  return quantile(times, 0.5)
}

const STARTED = 'event:pipeline.started'
const noop = (id: string, startWhen: string, more: Partial<NodeDefinition> = {}): NodeDefinition => ({
  id,
  task: 'noop',
  startWhen,
  ...more,
})
const pipeline = (id: string, nodes: NodeDefinition[]): PipelineDefinition => ({
  schemaVersion: 1,
  id,
  name: id,
  nodes,
})
const allOf = (ids: readonly string[]) => ids.map((id) => `event:${id}.completed`).join(' && ')

const chain = pipeline(
  'chain',
  Array.from({ length: CHAIN }, (_, index) =>
    noop(`n${index}`, index === 0 ? STARTED : allOf([`n${index - 1}`])),
  ),
)

const fan: PipelineDefinition = {
  ...pipeline('fan', [
    noop('first', STARTED),
    noop('each', allOf(['first']), { forEach: { items: '{{ pipeline.input.n }}' } }),
    noop('last', allOf(['each'])),
  ]),
  inputs: { n: { type: 'array' } },
}

const dag = pipeline('dag', [
  noop('a', STARTED),
  ...['b1', 'b2', 'b3', 'b4'].map((id) => noop(id, allOf(['a']))),
  noop('c', allOf(['b1', 'b2', 'b3', 'b4'])),
  ...['d1', 'd2'].map((id) => noop(id, allOf(['c']))),
  noop('e', allOf(['d1', 'd2'])),
  noop('f', allOf(['e'])),
])

const gate = pipeline('gate', [noop('go', `${STARTED} && event:external.go`)])
/** The rows of what is left of such a run once its event has come are those of a node and its end. */
const resumedHalf = pipeline('half', [noop('go', STARTED)])
