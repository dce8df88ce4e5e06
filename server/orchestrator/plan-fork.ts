import { canonicalJson } from '@/core/pipeline/canonical'
import { resolveInputs } from '@/core/pipeline/inputs'
import type { Json, JsonObject } from '@/core/engine/event'
import { EMPTY_SNAPSHOT, snapshotOf } from '@/core/engine/fork'
import type { Rejection, StartInput } from '@/core/engine/input'
import { parseInstant } from '@/core/engine/instant'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'
import type { ForkRequest, StartRequest } from './contract'
import { foldJournal } from './fold'

type Refused = {
  readonly ok: false
  readonly rejection: Rejection | { readonly code: 'not_found'; readonly message: string }
}
type Planned = {
  readonly ok: true
  readonly start: StartRequest
  readonly origin: NonNullable<StartInput['origin']>
}

/**
 * What a fork starts with: the old run folded up to the instant, and what of it the new run takes over. Reads only; nothing
 * of the old run changes.
 */
export async function planFork(
  ports: {
    readonly journal: Pick<Journal, 'read'>
    readonly executions: ExecutionRegistry
    readonly compiled: CompiledPipelines
  },
  request: ForkRequest,
): Promise<Planned | Refused> {
  const { executionId, atSeq, actor } = request
  const row = await ports.executions.get(executionId)
  if (row === null) return refuse('not_found', `there is no execution '${executionId}'`)
  const revision = request.revision ?? row.revision
  const before = await ports.compiled.get(row.pipelineId, row.revision)
  const pipeline = await ports.compiled.get(row.pipelineId, revision)
  if (before === null || pipeline === null)
    return refuse('not_found', `there is no revision ${revision} of pipeline '${row.pipelineId}'`)
  const state = emptyState(executionId, before)
  // The first entry says what the run was started with, also when nothing else of it is taken over.
  await foldJournal(ports.journal, state, Math.max(1, atSeq))
  if (state.seq < atSeq)
    return refuse('unknown_seq', `'${executionId}' has no event ${atSeq}: its last is ${state.seq}`)
  const given = inputsOf(state)
  const inputs = resolveInputs(
    pipeline.definition.inputs ?? {},
    (request.inputs ?? given) as { [key: string]: Json },
  )
  if (!inputs.ok) {
    const issues = inputs.issues.map((issue) => ({
      ...issue,
      path: issue.path[0] === 'inputs' ? issue.path : ['inputs', ...issue.path],
    }))
    const message = 'The inputs do not fit the revision: see the issues.'
    return { ok: false, rejection: { code: 'invalid_inputs', message, issues } }
  }
  const newInputs = canonicalJson(inputs.values) !== canonicalJson(given)
  const mocks = Object.entries(state.mocks).filter(([id]) => pipeline.nodes.has(id))
  const { priority, labels } = state
  const scheduled = state.variables.get('system.scheduled_at')?.value
  return {
    ok: true,
    start: {
      pipelineId: row.pipelineId,
      revision,
      inputs: inputs.values as JsonObject,
      actor,
      priority,
      labels,
      mocks: Object.fromEntries(mocks),
      ...(typeof scheduled === 'string' ? { scheduledAt: parseInstant(scheduled) } : {}),
    },
    origin: {
      executionId,
      seq: atSeq,
      snapshot: atSeq === 0 ? EMPTY_SNAPSHOT : snapshotOf(state, pipeline, { newInputs }),
    },
  }
}

/** The inputs that the run was started with, defaults filled in. */
function inputsOf(state: ExecutionState): JsonObject {
  const prefix = 'pipeline.input.'
  const own = [...state.variables].filter(([name]) => name.startsWith(prefix))
  return Object.fromEntries(own.map(([name, { value }]) => [name.slice(prefix.length), value]))
}

function refuse(code: 'not_found' | 'unknown_seq', message: string): Refused {
  return { ok: false, rejection: { code, message } }
}
