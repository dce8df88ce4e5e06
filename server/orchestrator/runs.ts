import type { ExecutionState } from '@/core/engine/state'
import { sumOf } from '@/core/pipeline/definition/demand'
import type { Admission } from '@/core/scheduling/admission'
import type { Runner } from '@/server/ports/runner'
import { idempotencyKeyOf } from './attempt-key'
import type { CompiledPipelines } from './compiled-pipelines'
import type { Runs } from './contract'
import type { Health } from './health'
import type { LiveExecutions } from './live-execution'
import type { NodeDurations } from './node-durations'
import type { PoolCapacities } from './pool-capacities'
import type { Reader } from './reader'
import { createRunProfiles, type RunProfilesPorts } from './run-profiles'
import type { SubPipelinesOfRuns } from './sub-pipelines'
import { createRunSavings } from './run-savings'
import { createTimelines } from './timelines'

export type RunsPorts = RunProfilesPorts & {
  readonly reader: Reader
  readonly admission: Admission
  readonly capacities: Pick<PoolCapacities, 'usual'>
  readonly compiled: CompiledPipelines
  readonly lives: LiveExecutions
  readonly subPipelines: SubPipelinesOfRuns
  readonly durations: NodeDurations
  readonly health: Health
  readonly runner: Pick<Runner, 'preparation'>
}

/** Answers about runs: of the journal, and of what the engine counts and has found. */
export function createRuns(ports: RunsPorts): Runs {
  const places = placesOf(ports.admission)
  const { reader, admission, compiled, durations, health, subPipelines, runner } = ports
  return {
    state: reader.state,
    runsOf: (pipelineId) => admission.runsOf(pipelineId),
    admission: () => ({ slots: admission.slots, inUse: admission.inUse, queued: admission.queue() }),
    queue: (limit) => admission.waiting(limit),
    poolOf: (name) => admission.poolOf(name),
    pools: () =>
      admission.pools().map((pool) => ({ ...pool, usual: ports.capacities.usual.get(pool.name) ?? null })),
    preparation: (executionId, attempt) =>
      runner.preparation(idempotencyKeyOf(executionId, attempt), attempt.token),
    violations: () => health.violations(),
    setApart: (executionId) => health.apart(executionId),
    pipeline: (id, revision) => compiled.get(id, revision),
    refusedMocks: subPipelines.refusedMocks,
    subPipelines: (state) => subPipelines.below(state.pipeline, state.subPipelines),
    estimates: (pipelineId) => durations.estimates(pipelineId),
    places,
    memory: () => memoryOf(ports.lives),
    savings: createRunSavings(ports.clock, () => places(null)),
    timeline: createTimelines(ports.journal),
    profiles: createRunProfiles(ports),
  }
}

function memoryOf(lives: LiveExecutions): ReturnType<Runs['memory']> {
  let running = 0
  let variables = 0
  let variableBytes = 0
  for (const { state } of lives.values()) {
    if (state.finishedAt === null) running += 1
    variables += state.variables.size
    variableBytes += state.variableBytes
  }
  return { executions: lives.size, running, variables, variableBytes }
}

const placesOf =
  (admission: Admission): Runs['places'] =>
  (state) => {
    const left = admission.pools().flatMap(({ name, capacity, used }): [string, number][] => {
      if (capacity === null) return []
      if (state === null) return [[name, capacity]]
      const free = sumOf(capacity, -sumOf(used, -(state.held.get(name) ?? 0)))
      return [[name, Math.max(largestOf(state, name), free)]]
    })
    return new Map(left)
  }

/** The most that one attempt of the run demands of a pool. */
function largestOf({ pipeline }: ExecutionState, pool: string): number {
  let most = 0
  for (const { demands } of pipeline.nodes.values())
    for (const demand of demands) if (demand.pool === pool) most = Math.max(most, demand.amount)
  return most
}
