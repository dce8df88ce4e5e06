import { canonicalJson } from '@/core/pipeline/canonical'
import { resolveInputs } from '@/core/pipeline/inputs'
import type { Json, JsonObject } from '@/core/engine/event'
import { EMPTY_SNAPSHOT, snapshotOf } from '@/core/engine/fork'
import type { Rejection, StartInput } from '@/core/engine/input'
import { currentValue } from '@/core/engine/large-values'
import { parseInstant } from '@/core/engine/instant'
import type { ExecutionState } from '@/core/engine/state'
import type { CompiledPipelines } from './compiled-pipelines'
import type { ForkRequest, StartRequest } from './contract'
import type { Fold } from './fold'

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
    readonly fold: Fold
    readonly compiled: CompiledPipelines
  },
  request: ForkRequest,
): Promise<Planned | Refused> {
  const { executionId, atSeq, actor } = request
  // The first entry says what the run was started with, also when nothing else of it is taken over.
  const state = await ports.fold(executionId, { upTo: Math.max(1, atSeq) })
  if (state === null) return refuse('not_found', `there is no execution '${executionId}'`)
  const pipelineId = state.pipeline.definition.id
  const revision = request.revision ?? state.pipeline.revision
  const pipeline = await ports.compiled.get(pipelineId, revision)
  if (pipeline === null)
    return refuse('not_found', `there is no revision ${revision} of pipeline '${pipelineId}'`)
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
      pipelineId,
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
  return Object.fromEntries(
    own.map(([name, variable]) => [name.slice(prefix.length), currentValue(state.values, variable) ?? null]),
  )
}

function refuse(code: 'not_found' | 'unknown_seq', message: string): Refused {
  return { ok: false, rejection: { code, message } }
}
