import { canonicalJson } from '@/core/pipeline/canonical'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import type { Issue } from '@/core/pipeline/issue'
import type { Json, JsonObject } from '@/core/engine/event'
import { EMPTY_SNAPSHOT, snapshotOf } from '@/core/engine/decide/fork'
import type { Snapshot, StartInput } from '@/core/engine/input'
import { valueOf } from '@/core/engine/large-values'
import { parseInstant } from '@/core/engine/instant'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'
import type { Answer, ForkRequest, StartRequest } from './contract'
import { foldJournal } from './fold'
import type { ValuesOfRuns } from './large-values'
import type { FixedRevisions } from './sub-pipelines'

export type Started = Answer<{ readonly executionId: string; readonly status: string }>
/** Whose child, or whose fork, a new run is. */
export type Descent = Pick<StartInput, 'parent' | 'origin'> & {
  readonly executionId: string
  /** Revisions of pipelines below it that are fixed by the run that it comes from. */
  readonly fixed: FixedRevisions
}

export type ForkPorts = {
  readonly journal: Pick<Journal, 'read'>
  readonly executions: ExecutionRegistry
  readonly artifacts: Pick<ArtifactStore, 'list' | 'share'>
  readonly compiled: CompiledPipelines
  readonly values: ValuesOfRuns
  readonly newId: () => string
  /** What a run was given that then was refused goes again. */
  readonly abandon: (executionId: string) => Promise<void>
  /** Creates the run; its first entries are durable when it resolves. */
  readonly begin: (request: StartRequest, descent: Descent) => Promise<Started>
}

/**
 * A new run from the state of another at an instant: the old one is folded up to it, and what had ended is taken over with its
 * outputs and files. Nothing of the old run changes.
 */
export function createFork(ports: ForkPorts) {
  return async function fork(request: ForkRequest): Promise<Started> {
    const { executionId, atSeq, actor, idempotency } = request
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
      await foldJournal(ports.journal, state, { upTo: Math.max(1, atSeq) })
    } catch (error) {
      // A damaged journal can still be forked before its damage [T15].
      const why = error instanceof Error ? error.message : String(error)
      return refuse('set_apart', `'${executionId}' cannot be read up to event ${atSeq}: ${why}`)
    }
    if (state.seq < atSeq)
      return refuse('unknown_seq', `'${executionId}' has no event ${atSeq}: its last is ${state.seq}`)
    const given = inputsOf(state)
    const asked = (request.inputs ?? given) as { [key: string]: Json }
    const inputs = resolveInputs(pipeline.definition.inputs ?? {}, asked)
    if (!inputs.ok) return refuseInputs(inputs.issues)
    const newInputs = canonicalJson(inputs.values) !== canonicalJson(given)
    const snapshot = atSeq === 0 ? EMPTY_SNAPSHOT : snapshotOf(state, pipeline, { newInputs })
    // What was approved is taken over only with what was to run behind it; else approvals ask again, and the latest are taken.
    const asBefore = atSeq > 0 && !newInputs && revision === row.revision
    const forked = ports.newId()
    await shareFiles(executionId, snapshot, forked)
    const scheduled = state.variables.get('system.scheduled_at')?.value
    const started = await ports.begin(
      {
        pipelineId: row.pipelineId,
        revision,
        inputs: inputs.values as JsonObject,
        actor,
        priority: state.priority,
        labels: state.labels,
        mockedInputs: state.mockedInputs.filter(
          (name) => name in inputs.values && (atSeq > 0 || sameValue(inputs.values[name], given[name])),
        ),
        mocks: Object.fromEntries(Object.entries(state.mocks).filter(([id]) => pipeline.nodes.has(id))),
        ...(typeof scheduled === 'string' ? { scheduledAt: parseInstant(scheduled) } : {}),
        ...(idempotency === undefined ? {} : { idempotency }),
      },
      {
        executionId: forked,
        parent: null,
        origin: { executionId, seq: atSeq, snapshot },
        fixed: asBefore ? state.subPipelines : null,
      },
    )
    if (!started.ok) await ports.abandon(forked)
    return started
  }

  /** Files of the nodes that are taken over belong to the new run too: they stay when the old one is removed. */
  async function shareFiles(from: string, { variables }: Snapshot, to: string): Promise<void> {
    const nodes = new Set(variables.flatMap(({ name }) => nodeOfSnapshot(name) ?? []))
    const values = new Set(variables.flatMap(({ ref }) => ref?.artifact_id ?? []))
    for (const row of await ports.artifacts.list(from)) {
      if (nodes.has(row.nodeId) || values.has(row.artifactId)) await ports.artifacts.share(row, to)
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

const sameValue = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null)

function refuse(code: 'not_found' | 'unknown_seq' | 'set_apart', message: string): Started {
  return { ok: false, rejection: { code, message } }
}

function refuseInputs(found: readonly Issue[]): Started {
  const issues = found.map((issue) => ({ ...issue, path: ['inputs', ...issue.path] }))
  const message = 'The inputs do not fit the revision: see the issues.'
  return { ok: false, rejection: { code: 'invalid_inputs', message, issues } }
}
