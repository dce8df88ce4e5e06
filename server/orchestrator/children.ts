import { cancelledBelow } from '@/core/engine/cancelled-below'
import { byHandAbove, byHandIn } from '@/core/engine/by-hand-around'
import { childStep } from '@/core/engine/child-step'
import type { JsonObject, NodeError } from '@/core/engine/event'
import type { StartInput } from '@/core/engine/input'
import { mockedInputsOf } from '@/core/engine/mocked-values'
import { lostContent, valueOf } from '@/core/engine/large-values'
import { resolveInput } from '@/core/engine/decide/start-attempt'
import { ENGINE } from '@/core/engine/principal'
import { attemptId, type ExecutionState, type Parent } from '@/core/engine/state'
import { traceparentOf } from '@/core/engine/trace'
import { effectAt, type ChildEffect, type Effect } from '@/core/engine/wanted'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import type { Json } from '@/core/pipeline/json'
import type { ExecutionRegistry } from '@/server/ports/registry'
import { keyOf } from './attempt-key'
import type { SubmittedInput } from './contract'
import type { Live } from './live-execution'
import type { SubPipelinesOfRuns } from './sub-pipelines'

export type NewChild = {
  readonly executionId: string
  readonly pipelineId: string
  readonly revision: number
  readonly inputs: JsonObject
  /** Those of its inputs that come from mocks of its parent. */
  readonly mockedInputs: readonly string[]
  /** What people completed above it. */
  readonly byHandAbove: readonly string[]
  /** Whose node it works for. */
  readonly of: Live
  readonly parent: NonNullable<StartInput['parent']>
  readonly traceParent?: string
}

export type ChildrenPorts = {
  readonly executions: ExecutionRegistry
  readonly subPipelines: SubPipelinesOfRuns
  /** Brings an execution into memory; null when there is none. */
  readonly load: (executionId: string) => Promise<Live | null>
  /** The execution when it is in memory. */
  readonly get: (executionId: string) => Live | undefined
  /** Resolves when no commit is under way: what is in memory then is durable. */
  readonly durable: () => Promise<void>
  /** Creates the child; its first entries are durable when it resolves. Answers with what refused it, or null. */
  readonly begin: (child: NewChild) => Promise<string | null>
  /** Hands an input to the commit loop. False: it was refused, or nothing is taken any more. */
  readonly report: (executionId: string, input: SubmittedInput) => Promise<boolean>
  readonly warn: (what: string, error: unknown) => void
  /** Absent: nothing is traced. */
  readonly traceShare?: number | undefined
}

/** A child and the attempt of its parent whose work it does; `key` is `node` or `node/item`. */
export type Relation = { readonly parentId: string; readonly childId: string; readonly key: string }

export const relationOf = ({ executionId, key }: Parent, childId: string): Relation => ({
  parentId: executionId,
  childId,
  key: attemptId(key.node, key.item),
})

/**
 * Executions that work for a node of another. Parent and child meet only here: values are passed by copy, the parent's
 * journal knows the child by its id, the child's knows whose it is [N-8 … N-13].
 *
 * Nothing is passed on as it happens. Whenever something may differ, both states are compared, and one step after the other
 * is taken until nothing differs any more; so every step can be lost in a crash, and is taken again at the next comparison.
 */
export function createChildren(ports: ChildrenPorts) {
  /** Children that are being aligned, and whether somebody has asked again meanwhile. */
  const underWay = new Map<string, boolean>()

  /** Takes the next step. False when there is none, or it was refused. */
  async function stepOnce({ parentId, childId, key }: Relation): Promise<boolean> {
    const loaded = [await ports.load(parentId), await ports.load(childId)] as const
    // What is in memory is compared as it is on disk, at one instant.
    await ports.durable()
    const parent = ports.get(parentId) ?? loaded[0]
    const child = ports.get(childId) ?? loaded[1]
    // Whoever asked until now is answered by this comparison; that includes what came into memory for it.
    underWay.set(childId, false)
    if (child === null)
      return parent !== null && createMissing(ports, parent, childId, effectAt(parent.state, key))
    const step = childStep(parent?.state ?? null, child.state)
    switch (step?.do) {
      case undefined:
        return false
      case 'cancel':
        return ports.report(childId, { type: 'cancel', reason: step.reason, actor: ENGINE })
      case 'pause':
        return ports.report(childId, pauseInput(step.mode === 'hard'))
      case 'resume':
        return ports.report(childId, { type: 'resume', actor: ENGINE, holder: 'parent' })
      case 'notify':
        return ports.report(parentId, outcomeOf(child.state, step.effect))
    }
  }

  async function alignAll(relation: Relation): Promise<void> {
    try {
      while ((await stepOnce(relation)) || underWay.get(relation.childId) === true);
    } finally {
      underWay.delete(relation.childId)
    }
  }

  /** Brings parent and child to agree, in the background. Asked again while it does, it compares once more at the end. */
  function align(relation: Relation): void {
    const { parentId, childId } = relation
    if (underWay.has(childId)) return void underWay.set(childId, true)
    underWay.set(childId, false)
    alignAll(relation).catch((error: unknown) =>
      ports.warn(`${childId} was not brought to what its parent ${parentId} wants`, error),
    )
  }

  return {
    align,

    /** Is it being brought to what its parent wants right now? */
    isAligning: (childId: string): boolean => underWay.has(childId),

    /**
     * The pauses that are still missing among these executions, as inputs: after a boot they are taken before anything moves, so that
     * no child starts work that its paused parent does not want.
     */
    *missingPauses(executionIds: Iterable<string>, get: (id: string) => Live | undefined) {
      for (const executionId of executionIds) {
        const child = get(executionId)?.state
        const parent = child?.parent ? get(child.parent.executionId) : undefined
        if (child === undefined || parent === undefined) continue
        const step = childStep(parent.state, child)
        if (step?.do === 'pause') yield { executionId, input: pauseInput(step.mode === 'hard') }
      }
    },
  }
}

export type Children = ReturnType<typeof createChildren>

/** The child that the parent names is not there: it is created, or the attempt ends without it. */
async function createMissing(
  ports: ChildrenPorts,
  parent: Live,
  childId: string,
  effect: Effect | null,
): Promise<boolean> {
  if (effect?.kind !== 'child' || effect.childId !== childId) return false
  const { state } = parent
  const { attempt } = effect
  const key = keyOf(attempt)
  if (effect.desired === 'stopped')
    return ports.report(state.executionId, { type: 'lose_attempt', key, reason: 'its child had not begun' })
  const fail = (error: NodeError) =>
    ports.report(state.executionId, { type: 'fail_attempt', key, error, noChild: true })
  const compiled = state.pipeline.nodes.get(attempt.node)!
  const pipelineId = compiled.child!
  const given = resolveInput(state, compiled, { upTo: attempt.startedSeq, item: attempt.item })
  if (!given.ok) return fail(given.error)
  const pipeline = await ports.subPipelines.find(pipelineId, state.subPipelines)
  if (pipeline === null) {
    const since = state.subPipelines === null ? 'is' : 'was'
    const when = state.subPipelines === null ? '' : ' when the run started'
    return fail({ kind: 'child_failed', message: `there ${since} no pipeline '${pipelineId}'${when}` })
  }
  const inputs = resolveInputs(pipeline.definition.inputs ?? {}, given.input as { [key: string]: Json })
  if (!inputs.ok) {
    const issues = inputs.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
    return fail({ kind: 'invalid_input', message: `'${pipelineId}' takes other inputs: ${issues}` })
  }
  const refused = await ports.begin({
    executionId: childId,
    pipelineId,
    revision: pipeline.revision,
    inputs: inputs.values as JsonObject,
    mockedInputs: mockedInputsOf(state, compiled),
    byHandAbove: byHandAbove(state, attempt.node),
    of: parent,
    parent: { executionId: state.executionId, key, depth: (state.parent?.depth ?? 0) + 1 },
    // A child belongs to the trace of its parent.
    ...(ports.traceShare === undefined && state.traceParent === null
      ? {}
      : { traceParent: traceparentOf(state, key, ports.traceShare ?? 0) }),
  })
  return refused === null ? true : fail({ kind: 'child_failed', message: refused })
}

const pauseInput = (hard: boolean): SubmittedInput => ({
  type: 'pause',
  reason: 'its parent is paused',
  hard,
  actor: ENGINE,
  holder: 'parent',
})

/** How a child ended that did not complete. */
function endText({ lifecycle, error }: ExecutionState): string {
  if (lifecycle === 'CANCELLED') return 'was cancelled'
  const why = error === null ? '' : `: ${error.message}`
  return lifecycle === 'ROLLBACK' ? `was rolled back${why}` : `failed${why === '' ? ': ' : why}`
}

/** A child has its outcome: its parent's attempt has too [N-11, C-8, R-74]. */
function outcomeOf(state: ExecutionState, { desired, attempt }: ChildEffect): SubmittedInput {
  const key = keyOf(attempt)
  const { id } = state.pipeline.definition
  if (state.lifecycle === 'COMMIT') {
    const outputs: Record<string, Json> = {}
    const prefix = 'pipeline.output.'
    for (const [name, variable] of state.variables) {
      if (!name.startsWith(prefix)) continue
      const value = valueOf(state.values, variable)
      if (value === undefined) {
        const message = `${name} of ${id}: ${lostContent(variable.ref!)}`
        return { type: 'fail_attempt', key, error: { kind: 'variable_not_found', message } }
      }
      outputs[name.slice(prefix.length)] = value as Json
    }
    const { handledFailures } = state
    return { type: 'complete_attempt', key, outputs, handledFailures, byHandBelow: byHandIn(state) }
  }
  const cancelled = state.lifecycle === 'CANCELLED'
  // Nobody but a person cancels a child that its parent wants.
  const wasWanted = desired !== 'stopped'
  const byPerson = cancelled ? (wasWanted ? state.executionId : null) : cancelledBelow(state)
  const error = {
    // Only a parent that is being cancelled itself takes this for a cancel.
    kind: cancelled && !wasWanted ? 'cancelled' : 'child_failed',
    message: `${id} ${endText(state)}`,
    detail: {
      execution_id: state.executionId,
      ...(byPerson === null ? {} : { cancelled_execution_id: byPerson }),
    },
  }
  return { type: 'fail_attempt', key, error, ...(byPerson === null ? {} : { final: true }) }
}
