import { canonicalJson } from '@/core/pipeline/canonical'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import type { CompiledPipeline } from '@/core/pipeline/definition/compile'
import type { Issue } from '@/core/pipeline/issue'
import type { JsonObject } from '@/core/engine/event'
import { EMPTY_SNAPSHOT, refusalUnder, snapshotOf } from '@/core/engine/decide/fork'
import type { Snapshot } from '@/core/engine/input'
import { valueOf } from '@/core/engine/large-values'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'
import type { ForkRequest } from './contract'
import { foldJournal } from './fold'
import type { ValuesOfRuns } from './large-values'
import { hasSubPipelines, type SubPipelinesOfRuns } from './sub-pipelines'
import type { Refused } from './submission'

export type ForkPlanPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly executions: Pick<ExecutionRegistry, 'get'>
  readonly compiled: CompiledPipelines
  readonly subPipelines: Pick<SubPipelinesOfRuns, 'below'>
  readonly values: ValuesOfRuns
}

export type Planned = Omit<ForkRequest, 'actor' | 'idempotency'>

/** What a new run begins with. */
export type ForkPlan = {
  readonly ok: true
  readonly state: ExecutionState
  readonly pipeline: CompiledPipeline
  readonly atSeq: number
  readonly inputs: JsonObject
  /** The inputs of the old run. */
  readonly given: JsonObject
  /** It takes the revisions below it that the old run had fixed. */
  readonly asBefore: boolean
  readonly snapshot: Snapshot
}

/** Of the values that a run was given those that a revision still asks for. */
const thoseOf = (given: JsonObject, declared: object): JsonObject =>
  Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(declared, name)))

/** Folds a run and finds out what a fork of it would take over; nothing changes. */
export function createForkPlan(ports: ForkPlanPorts) {
  return async function plan(request: Planned): Promise<ForkPlan | Refused> {
    const { executionId, asked } = request
    const row = await ports.executions.get(executionId)
    if (row === null) return refuse('not_found', `there is no execution '${executionId}'`)
    const revision = request.revision ?? row.revision
    const before = await ports.compiled.get(row.pipelineId, row.revision)
    const pipeline = await ports.compiled.get(row.pipelineId, revision)
    if (before === null || pipeline === null)
      return refuse('not_found', `there is no revision ${revision} of pipeline '${row.pipelineId}'`)
    const state = emptyState(executionId, before, ports.values.of(executionId))
    // The first entry says what the run was started with, also when nothing else of it is taken over.
    try {
      const upTo = request.atSeq === null ? {} : { upTo: Math.max(1, request.atSeq) }
      await foldJournal(ports.journal, state, upTo)
    } catch (error) {
      // A damaged journal can still be forked before its damage [T15].
      const why = error instanceof Error ? error.message : String(error)
      return refuse('set_apart', `'${executionId}' cannot be read up to event ${request.atSeq}: ${why}`)
    }
    const atSeq = request.atSeq ?? state.seq
    if (state.seq < atSeq)
      return refuse('unknown_seq', `'${executionId}' has no event ${atSeq}: its last is ${state.seq}`)
    const given = inputsOf(state)
    const declared = pipeline.definition.inputs ?? {}
    const inputs = resolveInputs(
      declared,
      asked === undefined ? (request.inputs ?? given) : thoseOf(given, declared),
    )
    if (!inputs.ok) return refuseInputs(inputs.issues)
    // What a revision adds is read by nodes that are new or changed.
    const newInputs = asked === undefined && canonicalJson(inputs.values) !== canonicalJson(given)
    // What was approved is taken over only with what was to run behind it; else approvals ask again, and the latest are taken.
    const asBefore = atSeq > 0 && asked === undefined && !newInputs && revision === row.revision
    const below =
      asBefore || !hasSubPipelines(pipeline) ? null : await ports.subPipelines.below(pipeline, null)
    const change = {
      newInputs,
      ...(below === null ? {} : { below }),
      ...(asked === undefined ? {} : { asked }),
    }
    const refused = asked === undefined ? null : refusalUnder(state, pipeline, { ...change, asked })
    if (refused !== null) return { ok: false, rejection: refused }
    const snapshot = atSeq === 0 ? EMPTY_SNAPSHOT : snapshotOf(state, pipeline, change)
    return {
      ok: true,
      state,
      pipeline,
      atSeq,
      inputs: inputs.values as JsonObject,
      given,
      asBefore,
      snapshot,
    }
  }
}

/** The inputs that the run was started with, defaults filled in. */
function inputsOf(state: ExecutionState): JsonObject {
  const prefix = 'pipeline.input.'
  const own = [...state.variables].filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(
    own.map(([name, variable]) => [name.slice(prefix.length), valueOf(state.values, variable) ?? null]),
  )
}

function refuse(code: 'not_found' | 'unknown_seq' | 'set_apart', message: string): Refused {
  return { ok: false, rejection: { code, message } }
}

function refuseInputs(found: readonly Issue[]): Refused {
  const issues = found.map((issue) => ({ ...issue, path: ['inputs', ...issue.path] }))
  const message = 'The inputs do not fit the revision: see the issues.'
  return { ok: false, rejection: { code: 'invalid_inputs', message, issues } }
}
