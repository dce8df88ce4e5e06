import { CHILDREN, SLOTS } from '@/core/pipeline/definition/demand'
import type { Admission } from '@/core/scheduling/admission'
import type { Runner } from '@/server/ports/runner'
import { idempotencyKeyOf } from './attempt-key'
import type { CompiledPipelines } from './compiled-pipelines'
import type { Runs } from './contract'
import type { Health } from './health'
import type { LiveExecutions } from './live-execution'
import type { NodeDurations } from './node-durations'
import type { Reader } from './reader'
import { createRunProfiles, type RunProfilesPorts } from './run-profiles'
import type { SubPipelinesOfRuns } from './sub-pipelines'
import { createRunSavings } from './run-savings'
import { createTimelines } from './timelines'

export type RunsPorts = RunProfilesPorts & {
  readonly reader: Reader
  readonly admission: Admission
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
    poolOf: (name) => admission.poolOf(name),
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
    const left = [SLOTS, CHILDREN].flatMap((name): [string, number][] => {
      const { capacity, used } = admission.poolOf(name)
      const others = state === null ? 0 : used - (state.held.get(name) ?? 0)
      return capacity === null ? [] : [[name, Math.max(1, capacity - others)]]
    })
    return new Map(left)
  }
