import type { CompiledNode } from '@/core/pipeline/definition/compile'
import { parseDuration } from '@/core/pipeline/duration'
import type { Scope } from '@/core/pipeline/expression/types'
import { issuesOfSchema } from '@/core/pipeline/definition/schema-issues'
import { renderTemplate } from '@/core/pipeline/expression/template'
import { clockOf, clockPayload } from './attempt-clock'
import { failedNode, failForGood } from './attempt-outcome'
import type { JsonObject, NodeError } from '@/core/engine/event'
import type { Fact } from './fact'
import { nodeFact, taskFact } from './fact'
import { formatInstant, parseInstant } from '@/core/engine/instant'
import { localsOfItem, scopeOf } from './scope'
import { nodeOf, type AttemptState, type ExecutionState, type NodeState } from '@/core/engine/state'
import type { PayloadOf } from '@/core/engine/typed-event'
import type { StepContext } from './step-context'

/** Most pipelines within pipelines [R-61, R-74]. */
export const MOST_DEPTH = 8

export type ResolvedInput =
  { readonly ok: true; readonly input: JsonObject } | { readonly ok: false; readonly error: NodeError }

/**
 * The input of a node's task: bindings rendered over the variables written up to `upTo` (all, when absent), then held
 * against the task's schema [G-8, G-9, N-O6]. The same answer whenever it is asked for the same attempt.
 */
export function resolveInput(
  state: ExecutionState,
  compiled: CompiledNode,
  options: { upTo?: number; item?: number | null } = {},
): ResolvedInput {
  const locals = localsOfItem(state, compiled, options.item ?? null)
  return inputOver(
    compiled,
    scopeOf(state, { ...(options.upTo === undefined ? {} : { upTo: options.upTo }), locals }),
  )
}

/** The same over any variables. */
export function inputOver(compiled: CompiledNode, scope: Scope): ResolvedInput {
  const rendered = renderTemplate(compiled.bindings, scope)
  if (!rendered.ok)
    return {
      ok: false,
      error: { kind: rendered.error.kind, message: `${rendered.path.join('.')}: ${rendered.error.message}` },
    }
  const parsed = compiled.contract.input.safeParse(rendered.value)
  if (parsed.success) return { ok: true, input: parsed.data as JsonObject }
  const issues = issuesOfSchema(parsed.error.issues.slice(0, 5), compiled.contract.input, rendered.value)
  const texts = issues.map(({ path, message, hint }) => {
    const where = path.length === 0 ? '' : `${path.join('.')}: `
    return `${where}${message}${hint === undefined ? '' : ` (${hint})`}`
  })
  return { ok: false, error: { kind: 'invalid_input', message: texts.join('; ') } }
}

/**
 * One attempt begins: of a task for a worker, of a `wait` that the engine times, or of another pipeline. What cannot even begin
 * has failed for good: its bindings would resolve to the same again [G-9].
 */
export function startAttempt(
  state: ExecutionState,
  compiled: CompiledNode,
  which: { readonly item: number | null; readonly attempt: number },
  context: StepContext,
): readonly Fact[] {
  const { now } = context
  const node = nodeOf(state, compiled.id)
  const attempt = newAttempt(compiled, node, which, now)
  const resolved = resolveInput(state, compiled, { item: which.item })
  if (!resolved.ok) return neverBegan(node, attempt, resolved.error, now)
  if (compiled.kind === 'pipeline') {
    const depth = (state.parent?.depth ?? 0) + 1
    if (depth > MOST_DEPTH) {
      const message = `pipelines within pipelines are ${MOST_DEPTH} deep at most`
      return neverBegan(node, attempt, { kind: 'child_failed', message }, now)
    }
    return [attemptStarted(attempt, { child_execution_id: context.newId() })]
  }
  if (compiled.contract.pure === true) return [{ ...attemptStarted(attempt), pureInput: resolved.input }]
  if (compiled.kind !== 'wait') return [attemptStarted(attempt)]
  const due = waitUntil(resolved.input, now)
  if (typeof due !== 'number') return neverBegan(node, attempt, due, now)
  const waiting = { for: 'time', due_at: formatInstant(due) } as const
  return [
    attemptStarted(attempt),
    nodeFact({ node: compiled.id, generation: node.generation }, 'waiting', waiting, { item: which.item }),
  ]
}

function neverBegan(node: NodeState, attempt: AttemptState, error: NodeError, now: number): readonly Fact[] {
  // An item has no end but that of its attempts; a node can fail without one.
  return attempt.item === null
    ? failedNode({ ...attempt, attempt: node.attempts }, error)
    : [attemptStarted(attempt), ...failForGood(attempt, { error }, now)]
}

export function newAttempt(
  compiled: CompiledNode,
  node: NodeState,
  { item, attempt }: { readonly item: number | null; readonly attempt: number },
  now: number,
): AttemptState {
  return {
    node: compiled.id,
    item,
    generation: node.generation,
    attempt,
    token: node.token + 1,
    losses: 0,
    startedAt: now,
    startedSeq: 0,
    ...clockOf(compiled, now),
    demands: compiled.demands,
    placement: compiled.contract.placement,
    stopping: false,
    progress: null,
    child: null,
  }
}

export function attemptStarted(
  attempt: AttemptState,
  more: Pick<PayloadOf<'task', 'started'>, 'child_execution_id'> = {},
): Fact {
  return taskFact(attempt, 'started', { token: attempt.token, ...clockPayload(attempt), ...more })
}

/** When a `wait` is over: its absolute time is recorded, so that a restart does not begin anew [R-72]. */
function waitUntil(input: JsonObject, now: number): number | NodeError {
  if (typeof input['until'] === 'string') {
    const until = parseInstant(input['until'])
    return Number.isNaN(until)
      ? { kind: 'invalid_input', message: `until: '${input['until']}' is not a time` }
      : until
  }
  const duration = durationMs(input['duration'])
  return duration === null
    ? { kind: 'invalid_input', message: `duration: '${String(input['duration'])}' is not a duration` }
    : now + duration
}

export function durationMs(value: unknown): number | null {
  return typeof value === 'string' ? parseDuration(value) : null
}
