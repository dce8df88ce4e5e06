import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { statSync } from 'node:fs'
import type { Entry } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import type { Batch, ExecutionRow } from '@/server/ports/journal'
import { openStore, type SqliteStore } from '@/server/store/open'
import { ms, perSecond, quantile, type Workload } from './workload'

/** `PENSTOCK_BENCH_EVENTS` makes a smaller file for a first look. */
const EVENTS = Number(process.env['PENSTOCK_BENCH_EVENTS'] ?? 10_000_000)
const NODES = 24
const EVENTS_A_RUN = 4 + 4 * NODES
const RUNS_A_COMMIT = 20
const READS = 500
const HOUR = 3_600_000
/** One run in so many has failed. */
const FAILING = 50

export const w9: Workload = {
  id: 'W9',
  title: `${EVENTS.toLocaleString('en')} events in one file: a run's timeline, lists, ingest`,
  async run() {
    const dataDir = mkdtempSync(join(tmpdir(), 'penstock-w9-'))
    try {
      const store = await openStore({ dataDir, tenantId: 'default' })
      const runs = Math.ceil(EVENTS / EVENTS_A_RUN / RUNS_A_COMMIT) * RUNS_A_COMMIT
      const rates: number[] = []
      for (let first = 0; first < runs; first += RUNS_A_COMMIT) {
        const batch = batchOf(first, runs)
        const started = performance.now()
        await store.journal.commit(batch)
        rates.push((RUNS_A_COMMIT * EVENTS_A_RUN * 1_000) / (performance.now() - started))
      }
      // A tenth of the work at either end is enough to tell the file's growth from the noise of the disk.
      const share = Math.max(1, Math.floor(rates.length / 10))
      const [empty, full] = [quantile(rates.slice(0, share), 0.5), quantile(rates.slice(-share), 0.5)]
      const bytes = statSync(join(dataDir, 'penstock.db')).size / (runs * EVENTS_A_RUN)
      const pick = (at: number) => idOf((at * 7_919) % runs)
      const range = await timed(READS, (at) => store.events.query(pick(at), { limit: 1 }))
      const timeline = await timed(READS, (at) => store.events.query(pick(at), { limit: 1_000 }))
      const now = startOf(runs, runs)
      const filters = [
        { pipelineId: 'layers' },
        { statuses: ['failed'] },
        { pipelineId: 'layers', statuses: ['completed'], from: now - 24 * HOUR },
        { label: { key: 'team', value: 'data' } },
      ]
      const list = await timed(READS, (at) =>
        store.executions.list({ ...filters[at % filters.length], limit: 50 }),
      )
      const failed = await timed(READS / 10, () => failedNodes(store, now - HOUR))
      await store.close()
      const row = (name: string, times: readonly number[], goal: string) => {
        const [own, limit] = [quantile(times, 0.99), quantile(range, 0.99)]
        return { name, figure: ms(own), limit: `${ms(limit)} one key`, ratio: own / limit, goal }
      }
      return [
        row('timeline of a run, P99', timeline, '≤ 5 ms'),
        row('list with filters, P99', list, '≤ 10 ms'),
        row('failed nodes of the last hour, P99', failed, '–'),
        {
          name: 'on disk',
          figure: `${Math.round(bytes)} B an event`,
          limit: '–',
          ratio: null,
          goal: '≤ 250 B',
        },
        {
          name: 'ingest into the full file',
          figure: perSecond(full, 'events'),
          limit: perSecond(empty, 'into an empty one'),
          ratio: full / empty,
          goal: '≥ 0.85',
        },
      ]
    } finally {
      rmSync(dataDir, { recursive: true, force: true })
    }
  },
}

/** The registry finds the failed runs, each run's own index its failed nodes: no query reads events of several runs at once. */
async function failedNodes(store: SqliteStore, from: number): Promise<number> {
  const { items } = await store.executions.list({ statuses: ['failed'], from, limit: 50 })
  const failed = await Promise.all(
    items.map(({ executionId }) =>
      store.events.query(executionId, { types: ['*.failed'], entityType: 'node' }),
    ),
  )
  return failed.flat().length
}

async function timed(times: number, read: (at: number) => Promise<unknown>): Promise<number[]> {
  for (let at = 0; at < times / 5; at++) await read(at)
  const measured: number[] = []
  for (let at = 0; at < times; at++) {
    const started = performance.now()
    await read(at)
    measured.push(performance.now() - started)
  }
  return measured
}

const idOf = (run: number) => `01J${String(run).padStart(23, '0')}`
/** Runs are spread over thirty days. */
const startOf = (run: number, runs: number) =>
  Date.UTC(2026, 0, 1) + Math.floor((run / runs) * 30 * 24 * HOUR)

function batchOf(first: number, runs: number): Batch {
  const numbers = Array.from({ length: RUNS_A_COMMIT }, (_, at) => first + at)
  return {
    executions: numbers.map((run) => {
      const entries = entriesOf(run, runs)
      return { owner: '', epoch: 0, executionId: idOf(run), expectedSeq: 0, entries, row: rowOf(run, runs) }
    }),
  }
}

function rowOf(run: number, runs: number): ExecutionRow {
  const at = startOf(run, runs)
  const failed = run % FAILING === 0
  return {
    executionId: idOf(run),
    pipelineId: run % 3 === 0 ? 'layers' : 'line',
    revision: 1,
    status: failed ? 'failed' : 'completed',
    lifecycle: failed ? 'FAILED' : 'COMMIT',
    priority: 5,
    labels: run % 10 === 0 ? { team: 'data' } : {},
    requestedBy: 'bench',
    requestedById: null,
    createdAt: at,
    startedAt: at,
    finishedAt: at + 1_000,
    closedAt: at + 1_000,
    nextWakeAt: null,
    handledFailures: 0,
    mocked: false,
    waitingFor: null,
    parentId: null,
    originId: null,
    inputs: { n: String(at) },
    error: failed ? { kind: 'task_failed', message: 'n3 failed' } : null,
  }
}

/** What a run of nodes that do nothing writes, event by event. */
function entriesOf(run: number, runs: number): Entry[] {
  const executionId = idOf(run)
  const timestamp = formatInstant(startOf(run, runs))
  const entries: Entry[] = []
  const add = (type: string, payload: Entry['event']['payload'], more: object = {}) => {
    const seq = entries.length + 1
    const { level, node } = eventTypeOf(type)
    const source = { entity_type: level, entity_id: level === 'pipeline' ? 'line' : node }
    entries.push({
      event: {
        id: `${executionId}.${seq}`,
        execution_id: executionId,
        seq,
        type,
        source,
        generation: 1,
        ...more,
        payload,
        timestamp,
      },
      variables: [],
    })
  }
  add('pipeline.created', { pipeline_id: 'line', revision: 1, priority: 5, labels: {} })
  add('pipeline.started', {})
  for (let at = 0; at < NODES; at++) {
    const id = `n${at}`
    const events = [at === 0 ? 'pipeline.started' : `n${at - 1}.completed`]
    add(`${id}.started`, { gate: { events, conditions: [] } })
    add(`${id}.task.started`, { token: 1 }, { attempt: 1 })
    const end = run % FAILING === 0 && at === 3 ? 'failed' : 'completed'
    add(`${id}.task.${end}`, { duration_ms: 0 }, { attempt: 1 })
    add(`${id}.${end}`, { duration_ms: 0, outputs: {} })
  }
  add('pipeline.completed', { duration_ms: 0, outputs: {} })
  add('pipeline.closed', {})
  return entries
}
