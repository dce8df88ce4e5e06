import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Batch } from '@/server/ports/journal'
import { openApiServer } from '@/testing/api-server'
import { addProcessMetrics } from './gauges'
import { createMetrics } from './metrics'
import { createReadRate } from './read-rate'

/** The value of a sample, or null; `series` as it is written, with its labels. */
function sample(text: string, series: string): number | null {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `))
  return line === undefined ? null : Number(line.slice(series.length + 1))
}

const SPECIFIED = [
  'hlp_executor_tasks_total',
  'hlp_executor_execution_duration_seconds',
  'hlp_executor_rollback_operations_total',
  'hlp_executor_dag_parse_duration_seconds',
  'hlp_executor_state_transition_duration_seconds',
  'hlp_executor_checkpoint_size_bytes',
]
const OF_VARIABLES = [
  'variables_count',
  'variable_storage_size',
  'expression_eval_duration',
  'variable_get_rate',
  'expression_eval_errors',
]

const definition = {
  schemaVersion: 1,
  id: 'measured',
  name: 'measured',
  nodes: [
    { id: 'first', task: 'set', inputBindings: { rows: 7 }, startWhen: 'event:pipeline.started' },
    {
      id: 'second',
      task: 'set',
      inputBindings: { twice: '{{ first.rows * 2 }}' },
      startWhen: 'event:first.completed',
    },
    {
      id: 'broken',
      task: 'fail',
      inputBindings: { message: 'no' },
      startWhen: 'event:second.completed',
      retry: { maxAttempts: 2, strategy: 'fixed', delay: '1ms' },
    },
  ],
}

/** A server on which that pipeline has run `runs` times. */
async function afterRuns(runs: number) {
  const server = await openApiServer()
  expect(await server.call('POST', '/api/v1/pipelines', definition)).toMatchObject({ status: 201 })
  const ids: string[] = []
  for (let run = 0; run < runs; run += 1) {
    const { body } = await server.call('POST', '/api/v1/pipelines/measured/executions', {})
    const { execution_id: id } = body as { execution_id: string }
    ids.push(id)
    await server.closed(id)
  }
  const scrape = async () => (await fetch(`${server.base}/metrics`)).text()
  return { server, ids, scrape, [Symbol.asyncDispose]: server[Symbol.asyncDispose] }
}

describe('the metrics', () => {
  it('[H-20][R-31] have the six names of the specification', async () => {
    await using run = await afterRuns(0)
    const text = await run.scrape()
    for (const name of SPECIFIED)
      expect(text).toMatch(new RegExp(`^# TYPE ${name} (?:counter|histogram)$`, 'm'))
    for (const wrong of ['dag_parsing', 'rollbacks_total']) expect(text).not.toContain(wrong)
  })

  it('[H-20] count what is durable: attempts by their end, runs by their outcome', async () => {
    await using run = await afterRuns(3)
    const text = await run.scrape()
    expect(sample(text, 'hlp_executor_tasks_total{status="completed"}')).toBe(6)
    expect(sample(text, 'hlp_executor_tasks_total{status="failed"}')).toBe(6)
    expect(sample(text, 'hlp_executor_tasks_total{status="cancelled"}')).toBe(0)
    expect(sample(text, 'hlp_executor_execution_duration_seconds_count{status="failed"}')).toBe(3)
    expect(sample(text, 'hlp_executor_execution_duration_seconds_count{status="completed"}')).toBe(0)
    expect(sample(text, 'penstock_executions_started_total')).toBe(3)
    expect(sample(text, 'hlp_executor_dag_parse_duration_seconds_count')).toBe(1)
    expect(sample(text, 'hlp_executor_state_transition_duration_seconds_count')).toBeGreaterThanOrEqual(6)
    expect(sample(text, 'penstock_commit_duration_seconds_count')).toBeGreaterThanOrEqual(6)
    expect(sample(text, 'penstock_commit_batch_size_sum')).toBe(await eventsOf(run))
  })

  it('[H-20] show queue, streams, workers, memory and disk', async () => {
    await using run = await afterRuns(1)
    const text = await run.scrape()
    expect(sample(text, 'penstock_queue_depth')).toBe(0)
    expect(sample(text, 'penstock_slots')).toBe(100)
    expect(sample(text, 'penstock_sse_streams')).toBe(0)
    expect(sample(text, 'penstock_workers_in_use{pool="children"}')).toBe(0)
    expect(sample(text, 'penstock_database_bytes')).toBe(0)
    // Nobody knows: the series is not there.
    expect(sample(text, 'penstock_disk_free_bytes')).toBeNull()
    expect(sample(text, 'penstock_memory_size_bytes')).toBeGreaterThan(1e8)
    const process = createMetrics()
    addProcessMetrics(process)
    const { text: own } = await process.page()
    expect(sample(own, 'process_resident_memory_bytes')).toBeGreaterThan(1e7)
    expect(own).toContain('nodejs_eventloop_lag_p99_seconds')
  })

  it('[N-O9] have the five names of the variable pool', async () => {
    await using run = await afterRuns(2)
    const text = await run.scrape()
    for (const name of OF_VARIABLES) expect(text).toContain(`# TYPE ${name} `)
    const { variables, variableBytes } = run.server.ctx.runs.memory()
    expect(variables).toBeGreaterThanOrEqual(2 * 4)
    expect(sample(text, 'variables_count')).toBe(variables)
    expect(sample(text, 'variable_storage_size')).toBe(variableBytes)
    expect(sample(text, 'expression_eval_duration_count')).toBeGreaterThanOrEqual(2)
    expect(sample(text, 'variable_get_rate')).toBeGreaterThan(0)
  })

  it('[N-O9] count evaluations that ended in an error', async () => {
    await using server = await openApiServer()
    const bad = {
      ...definition,
      id: 'divides',
      nodes: [
        { id: 'zero', task: 'set', inputBindings: { value: 0 }, startWhen: 'event:pipeline.started' },
        {
          id: 'half',
          task: 'set',
          inputBindings: { value: '{{ 1 / zero.value }}' },
          startWhen: 'event:zero.completed',
        },
      ],
    }
    expect(await server.call('POST', '/api/v1/pipelines', bad)).toMatchObject({ status: 201 })
    const before = sample(await (await fetch(`${server.base}/metrics`)).text(), 'expression_eval_errors')!
    const { body } = await server.call('POST', '/api/v1/pipelines/divides/executions', {})
    await server.closed((body as { execution_id: string }).execution_id)
    const after = sample(await (await fetch(`${server.base}/metrics`)).text(), 'expression_eval_errors')!
    expect(after).toBeGreaterThan(before)
  })

  it('have no label that is an id, however many runs there are', async () => {
    await using run = await afterRuns(2)
    const text = await run.scrape()
    for (const id of [...run.ids, 'measured', 'first', 'second', 'broken'])
      expect(text).not.toContain(`"${id}"`)
    const labels = new Set([...text.matchAll(/(\w+)="/g)].map(([, name]) => name))
    expect([...labels].sort()).toEqual(['le', 'pool', 'status'])
  })

  it('a commit that fails is not counted', async () => {
    const metrics = createMetrics()
    const { measureJournal } = await import('./measured')
    const failing = measureJournal(
      { commit: () => Promise.reject(new Error('disk')), claim: async () => 1, read: async () => [] },
      metrics,
    )
    await expect(failing.commit({ executions: [] } satisfies Batch)).rejects.toThrow('disk')
    expect(sample((await metrics.page()).text, 'penstock_commit_duration_seconds_count')).toBe(0)
  })

  it('have a page in the documentation that lists all of them, and nothing else', async () => {
    await using server = await openApiServer()
    const all = await server.metrics.registry.getMetricsAsJSON()
    const process = createMetrics()
    addProcessMetrics(process)
    const named = new Set(all.map(({ name }) => name))
    const usual = (await process.registry.getMetricsAsJSON()).filter(({ name }) =>
      /^(?:process|nodejs)_/.test(name),
    )
    const page = readFileSync(resolve(import.meta.dirname, '../../docs/reference/metrics.md'), 'utf8')
    const rows = [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\| ([^|]*?) +\| ([^|]*?) +\|$/gm)]
    const documented = rows.map(([, name, type, labels, help]) => ({ name, type, labels, help }))
    const expected = all.map(({ name, type, help }) => ({ name, type, help }))
    expect(documented.map(({ name, type, help }) => ({ name, type, help }))).toEqual(
      expect.arrayContaining(expected),
    )
    expect(new Set(documented.map(({ name }) => name))).toEqual(named)
    const listed = new Set([...page.matchAll(/`((?:process|nodejs)_\w+)`/g)].map(([, name]) => name))
    expect([...listed].sort()).toEqual(usual.map(({ name }) => name).sort())
  })
})

/** Events of all runs. */
async function eventsOf({ server, ids }: Awaited<ReturnType<typeof afterRuns>>): Promise<number> {
  const journals = await Promise.all(ids.map((id) => server.ctx.journal.read(id)))
  return journals.flat().length
}

describe('a rate of reads', () => {
  it('[N-O9] is that of the last minute', () => {
    let now = 0
    const rate = createReadRate(() => now)
    rate.note(10)
    expect(rate.perSecond()).toBe(10)
    now = 10_000
    rate.note(20)
    expect(rate.perSecond()).toBe(3)
    now = 30_000
    rate.note(30)
    now = 60_500
    expect(rate.perSecond()).toBeCloseTo(50 / 60)
    now = 10 * 60_000
    expect(rate.perSecond()).toBe(0)
  })
})
