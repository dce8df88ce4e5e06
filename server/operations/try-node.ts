import { z } from 'zod'
import { boundedError } from '@/core/engine/decide/bounded-error'
import type { Json, JsonObject, NodeError } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import { jsonBytes } from '@/core/engine/json-bytes'
import { prepareTrial, trialOutputs, type ReadyTrial } from '@/core/engine/decide/trial'
import { idPattern, nodeDefinitionSchema } from '@/core/pipeline/definition/definition'
import type { TrialEnd } from '@/server/ports/trials'
import { DomainError } from './domain-error'
import { operation } from './operation'
import { idField, jsonObjectField, nodeField } from './request-fields'
import { trialAnswer } from './schemas/trial'

/** Longest trial, whatever the node's own timeout says. */
const MOST_MS = 60_000
/** Most bytes of JSON of one value that an answer carries, and of all outputs. */
const MOST_BYTES = 1024 * 1024

const request = z.strictObject({
  node: nodeDefinitionSchema.extend({ id: z.string().regex(idPattern) }),
  /** Outputs of other nodes, by node: what the node's expressions read. */
  variables: z.record(nodeField, jsonObjectField).default({}),
  /** Values of the pipeline's inputs. */
  inputs: jsonObjectField.default({}),
  /** Of a forEach: the item to try, 0 being the first. */
  item: z.int().min(0).optional(),
  /** Executions whose artifacts the variables name. */
  executions: z.array(idField).max(50).default([]),
})

/**
 * Runs one node of a definition that need not be saved, outside of any run, over values that the caller gives: what it would get, what it
 * gives, what it prints. Its work is real (it may send what it sends, and it counts as begun when the caller goes away), so it asks
 * for the right to edit, which holds that to start runs; and it is audited. Nothing of it is stored.
 * A node without work of its own is `invalid_request`; too many trials at once `rate_limited`.
 */
export const tryNode = operation({
  kind: 'command',
  summary: 'Run one node by itself, outside of any execution',
  right: 'edit',
  rest: { method: 'POST', path: '/pipelines/try', largeBody: true, endsWithCaller: true },
  request,
  answer: trialAnswer,
  errors: ['invalid_definition'],
  example: {
    request: {
      node: {
        id: 'extract',
        task: 'set',
        inputBindings: { rows: 1461 },
        startWhen: 'event:pipeline.started',
      },
    },
    answer: {
      status: 'completed',
      input: { rows: 1461 },
      outputs: { rows: 1461 },
      left_out: [],
      error: null,
      logs: [],
      files: [],
      duration_ms: 2,
    },
  },
  run: async (ctx, caller, { node, variables, inputs, item, executions }, signal) => {
    const now = ctx.clock.now()
    const prepared = prepareTrial(
      node,
      {
        nodes: new Map(Object.entries(variables as Record<string, JsonObject>)),
        inputs: inputs as JsonObject,
        system: { execution_id: 'trial', started_at: formatInstant(now), scheduled_at: null },
      },
      { tasks: ctx.tasks, item },
    )
    if (prepared.kind === 'refused') throw new DomainError('invalid_request', prepared.message)
    if (prepared.kind === 'invalid') {
      const issues = prepared.issues.map((issue) => ({ ...issue, path: ['node', ...issue.path] }))
      throw new DomainError('invalid_definition', 'The node cannot be run: see the issues.', issues)
    }
    if (prepared.kind === 'failed') return failure(null, prepared.error)
    const { trial } = prepared
    const end = await ctx.trials.run(
      {
        person: caller.id,
        nodeId: trial.compiled.id,
        task: trial.compiled.task,
        input: trial.input,
        timeoutMs: Math.min(trial.compiled.timeoutMs ?? MOST_MS, MOST_MS),
        executions,
      },
      signal,
    )
    if ('busy' in end) throw new DomainError('rate_limited', BUSY[end.busy])
    const answer = answerOf(trial, end)
    await ctx.audit.append({
      at: now,
      actor: caller.name,
      actorId: caller.id,
      action: 'node.tried',
      subject: trial.compiled.id,
      result: { task: trial.compiled.task, status: answer.status, duration_ms: end.durationMs },
    })
    return answer
  },
})

const BUSY = {
  person: 'You are trying a node already: wait until it has ended, or stop it.',
  server: 'Two nodes are being tried on this server already: try again in a moment.',
} as const

export type TrialAnswer = {
  readonly status: 'completed' | 'failed'
  /** As the task got it; null when it could not be made, or is too large to show. */
  readonly input: JsonObject | null
  /** What the node would leave behind; of a forEach, of its one item. */
  readonly outputs: JsonObject
  /** Outputs that are too large to show. */
  readonly left_out: readonly string[]
  readonly error: NodeError | null
  readonly logs: TrialEnd['lines']
  readonly files: readonly {
    readonly artifact_id: string
    readonly name: string
    readonly content_type: string
    readonly bytes: number
    readonly preview: { readonly encoding: 'utf8' | 'base64'; readonly content: string } | null
  }[]
  readonly duration_ms: number
}

function failure(input: JsonObject | null, error: NodeError, end?: TrialEnd): TrialAnswer {
  return {
    status: 'failed',
    input: input !== null && fits(input) ? input : null,
    outputs: {},
    left_out: [],
    error: boundedError(error),
    logs: end?.lines ?? [],
    files: filesOf(end),
    duration_ms: end?.durationMs ?? 0,
  }
}

function answerOf(trial: ReadyTrial, end: TrialEnd): TrialAnswer {
  const { input } = trial
  const { result } = end
  if (result.ok === 'lost')
    return failure(input, { kind: 'lost', message: `the worker was lost: ${result.reason}` }, end)
  if (!result.ok) return failure(input, explained(result.error, end), end)
  const left = trialOutputs(trial, result.outputs)
  if (!left.ok) return failure(input, left.error, end)
  const shown: [string, Json][] = []
  const leftOut: string[] = []
  let room = MOST_BYTES
  for (const [name, value] of Object.entries(left.values)) {
    const bytes = jsonBytes(value, room)
    if (bytes > room) leftOut.push(name)
    else shown.push([name, value])
    room -= bytes > room ? 0 : bytes
  }
  return {
    status: 'completed',
    input: fits(input) ? input : null,
    outputs: Object.fromEntries(shown),
    left_out: leftOut,
    error: null,
    logs: end.lines,
    files: filesOf(end),
    duration_ms: end.durationMs,
  }
}

/** What is said of a limit of trials, or of a file that is not there, would be true of runs only. */
function explained(error: NodeError, { missing, durationMs }: TrialEnd): NodeError {
  if (error.kind === 'timeout' && durationMs >= MOST_MS)
    return { ...error, message: `It was ended after ${MOST_MS / 1_000} s, which a try may take at most.` }
  if (missing.length === 0) return error
  const message =
    'A file that the input names is not there: files of a trial are gone with it, those of a run with the run. Run the pipeline once and take the values of that run.'
  return { ...error, message, detail: { artifact_ids: missing, said: error.message } }
}

const fits = (value: Json) => jsonBytes(value, MOST_BYTES) <= MOST_BYTES

function filesOf(end?: TrialEnd): TrialAnswer['files'] {
  return (end?.files ?? []).map(({ artifactId, name, contentType, bytes, preview }) => ({
    artifact_id: artifactId,
    name,
    content_type: contentType,
    bytes,
    preview,
  }))
}
