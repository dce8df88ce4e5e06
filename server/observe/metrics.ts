import { Counter, Histogram, Registry } from 'prom-client'
import type { EvaluationWatch } from '@/core/pipeline/expression/watch'
import type { EngineObserver } from '@/server/ports/observer'
import { createReadRate } from './read-rate'

/** Seconds. Around the promises: parsing within 120 ms, transitions within 50 ms. */
const SHORT = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.12, 0.2, 0.5, 1, 2.5, 5]
/** Seconds. An expression takes microseconds. */
const TINY = [0.000_001, 0.000_01, 0.000_1, 0.001, 0.01, 0.1, 1]
/** Seconds. A run takes anything between a moment and days. */
const LONG = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400, 86_400, 604_800]
const BYTES = [1_024, 16_384, 131_072, 1_048_576, 8_388_608, 52_428_800]
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000]

/** How attempts and runs end. */
export const ATTEMPT_ENDS = ['completed', 'failed', 'cancelled', 'lost'] as const
export const RUN_ENDS = ['completed', 'failed', 'cancelled'] as const

/**
 * The instruments of the server, in a registry of their own. The six names of the executor's specification [H-20, R-31] and the five of the
 * variable pool [N-O9] are exactly theirs; the others begin with `penstock_`. No label is an id: their values are known here.
 */
export function createMetrics(now: () => number = () => performance.now()) {
  const registry = new Registry()
  const registers = [registry]
  const reads = createReadRate(now)

  const instruments = { ...specified(registers), ...ours(registers) }
  // A rate needs a first value to start from.
  for (const status of ATTEMPT_ENDS) instruments.tasks.inc({ status }, 0)
  for (const status of RUN_ENDS) instruments.executionDuration.zero({ status })

  const observer: EngineObserver = {
    now,
    transition: (ms) => instruments.transition.observe(ms / 1_000),
  }
  const evaluations: EvaluationWatch = {
    now,
    evaluated(ms, ok) {
      instruments.evaluation.observe(ms / 1_000)
      if (!ok) instruments.evaluationErrors.inc()
    },
    read: reads.note,
  }

  return {
    registry,
    instruments,
    observer,
    evaluations,
    /** Variables that were looked up: how many just now, and how many a second in the last minute. */
    reads,
    now,
    /** What a scraper reads. */
    async page(): Promise<{ readonly type: string; readonly text: string }> {
      return { type: registry.contentType, text: await registry.metrics() }
    },
  }
}

type Registers = readonly Registry[]

/** Under the names of the specification. */
function specified(shared: Registers) {
  const registers = [...shared]
  return {
    tasks: new Counter({
      name: 'hlp_executor_tasks_total',
      help: 'Attempts of tasks that ended, by how they ended',
      labelNames: ['status'],
      registers,
    }),
    executionDuration: new Histogram({
      name: 'hlp_executor_execution_duration_seconds',
      help: 'From the start of a run to its outcome, by outcome',
      labelNames: ['status'],
      buckets: LONG,
      registers,
    }),
    rollbacks: new Counter({
      name: 'hlp_executor_rollback_operations_total',
      help: 'Rollbacks that began',
      registers,
    }),
    dagParse: new Histogram({
      name: 'hlp_executor_dag_parse_duration_seconds',
      help: 'Reading and checking a definition: schema, graph, expressions and proofs',
      buckets: SHORT,
      registers,
    }),
    transition: new Histogram({
      name: 'hlp_executor_state_transition_duration_seconds',
      help: 'From the arrival of an input to its being durable and published',
      buckets: SHORT,
      registers,
    }),
    checkpointSize: new Histogram({
      name: 'hlp_executor_checkpoint_size_bytes',
      help: 'Size of checkpoints as stored',
      buckets: BYTES,
      registers,
    }),
    evaluation: new Histogram({
      name: 'expression_eval_duration',
      help: 'Evaluation of an expression that is more than a name, in seconds',
      buckets: TINY,
      registers,
    }),
    evaluationErrors: new Counter({
      name: 'expression_eval_errors',
      help: 'Evaluations that ended in an error',
      registers,
    }),
  }
}

/** Under names of ours. */
function ours(shared: Registers) {
  const registers = [...shared]
  return {
    skippedCheckpoints: new Counter({
      name: 'penstock_checkpoint_failures_total',
      help: 'Checkpoints that could not be made',
      registers,
    }),
    runsStarted: new Counter({
      name: 'penstock_executions_started_total',
      help: 'Runs that were accepted',
      registers,
    }),
    commitDuration: new Histogram({
      name: 'penstock_commit_duration_seconds',
      help: 'One transaction of the journal, until it is on disk',
      buckets: SHORT,
      registers,
    }),
    commitSize: new Histogram({
      name: 'penstock_commit_batch_size',
      help: 'Events in one transaction of the journal',
      buckets: SIZES,
      registers,
    }),
    requests: new Histogram({
      name: 'penstock_http_request_duration_seconds',
      help: 'Requests that were answered, by class of status; without those that follow a run or wait for its end',
      labelNames: ['status'],
      buckets: SHORT,
      registers,
    }),
  }
}

export type Metrics = ReturnType<typeof createMetrics>
