import type { Entry, JsonObject, NodeError } from '@/core/engine/event'
import type { EngineInput, StartInput } from '@/core/engine/input'
import { lostContent, valueOf } from '@/core/engine/large-values'
import { resolveInput } from '@/core/engine/decide/start-attempt'
import { ENGINE } from '@/core/engine/principal'
import { attemptId, type AttemptState } from '@/core/engine/state'
import { resolveInputs } from '@/core/pipeline/definition/inputs'
import type { Json } from '@/core/pipeline/json'
import type { ExecutionRegistry, PipelineRegistry } from '@/server/ports/registry'
import type { CompiledPipelines } from './compiled-pipelines'
import type { Live } from './live-execution'
import { keyOf } from './reconcile'

type SubmittedInput = Exclude<EngineInput, StartInput>

export type ChildrenPorts = {
  readonly executions: ExecutionRegistry
  readonly pipelines: PipelineRegistry
  readonly compiled: CompiledPipelines
  readonly load: (executionId: string) => Promise<Live | null>
  /** Creates the child; its first entries are durable when it resolves. */
  readonly begin: (child: {
    readonly executionId: string
    readonly pipelineId: string
    readonly revision: number
    readonly inputs: JsonObject
    readonly of: Live
    readonly parent: NonNullable<StartInput['parent']>
  }) => Promise<void>
  readonly report: (executionId: string, input: SubmittedInput) => Promise<void>
  readonly warn: (what: string, error: unknown) => void
}

const abandoned: SubmittedInput = {
  type: 'cancel',
  reason: 'its parent does not wait for it any more',
  actor: ENGINE,
}

/**
 * Executions that work for a node of another. Parent and child meet only here: values are passed by copy, the parent's
 * journal knows the child by its id, the child's knows whose it is [N-8 … N-13]. Every step can be lost in a crash and is
 * taken again: a child is created under the id that its parent recorded, and a parent asks after its children when it is loaded.
 */
export function createChildren(ports: ChildrenPorts) {
  async function ensure(live: Live, attempt: AttemptState, childId: string): Promise<void> {
    const { state } = live
    const row = await ports.executions.get(childId)
    if (row !== null) {
      const child = row.finishedAt === null && !attempt.stopping ? null : await ports.load(childId)
      if (child?.state.finishedAt != null) return tell(child)
      if (attempt.stopping)
        await ports.report(childId, { type: 'cancel', reason: 'its parent was cancelled', actor: ENGINE })
      return
    }
    const key = keyOf(attempt)
    if (attempt.stopping) {
      return ports.report(state.executionId, { type: 'lose_attempt', key, reason: 'its child had not begun' })
    }
    const fail = (error: NodeError) =>
      ports.report(state.executionId, { type: 'fail_attempt', key, error, noChild: true })
    const compiled = state.pipeline.nodes.get(attempt.node)!
    const pipelineId = compiled.child!
    const given = resolveInput(state, compiled, { upTo: attempt.startedSeq, item: attempt.item })
    if (!given.ok) return fail(given.error)
    const current = await ports.pipelines.get(pipelineId)
    const pipeline = current === null ? null : await ports.compiled.get(pipelineId, current.revision)
    if (pipeline === null)
      return fail({ kind: 'child_failed', message: `there is no pipeline '${pipelineId}'` })
    const inputs = resolveInputs(pipeline.definition.inputs ?? {}, given.input as { [key: string]: Json })
    if (!inputs.ok) {
      const issues = inputs.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
      return fail({ kind: 'invalid_input', message: `'${pipelineId}' takes other inputs: ${issues}` })
    }
    await ports.begin({
      executionId: childId,
      pipelineId,
      revision: pipeline.revision,
      inputs: inputs.values as JsonObject,
      of: live,
      parent: { executionId: state.executionId, key, depth: (state.parent?.depth ?? 0) + 1 },
    })
    await catchUp(state.executionId, attempt, childId)
  }

  /** What the parent was told while its child was beginning found no child to travel down to. */
  async function catchUp(
    parentId: string,
    { node, item }: Pick<AttemptState, 'node' | 'item'>,
    childId: string,
  ): Promise<void> {
    const parent = await ports.load(parentId)
    const waiting = parent?.state.inFlight.get(attemptId(node, item))
    if (waiting?.child !== childId || waiting.stopping) await ports.report(childId, abandoned)
    else if (parent?.state.paused === true)
      await ports.report(childId, {
        type: 'pause',
        reason: 'its parent is paused',
        hard: false,
        actor: ENGINE,
      })
  }

  /** A child has its outcome: its parent's attempt has too [N-11, C-8, R-74]. */
  async function tell({ state }: Live): Promise<void> {
    const { parent } = state
    if (parent === null) return
    const { executionId: id, key } = { ...parent }
    if (state.lifecycle === 'COMMIT') {
      const outputs: Record<string, Json> = {}
      const prefix = 'pipeline.output.'
      for (const [name, variable] of state.variables) {
        if (!name.startsWith(prefix)) continue
        const value = valueOf(state.values, variable)
        if (value === undefined) {
          const message = `${name} of ${state.pipeline.definition.id}: ${lostContent(variable.ref!)}`
          return ports.report(id, {
            type: 'fail_attempt',
            key,
            error: { kind: 'variable_not_found', message },
          })
        }
        outputs[name.slice(prefix.length)] = value as Json
      }
      return ports.report(id, { type: 'complete_attempt', key, outputs })
    }
    const cancelled = state.lifecycle === 'CANCELLED'
    const said = cancelled ? 'was cancelled' : `failed: ${state.error?.message ?? ''}`
    const error = {
      // Only a parent that is being cancelled itself takes this for a cancel.
      kind: cancelled ? 'cancelled' : 'child_failed',
      message: `${state.pipeline.definition.id} ${said}`,
      detail: { execution_id: state.executionId },
    }
    const stopping = (await ports.load(id))?.state.inFlight.get(attemptId(key.node, key.item))?.stopping
    return ports.report(id, {
      type: 'fail_attempt',
      key,
      error: cancelled && !stopping ? { ...error, kind: 'child_failed' } : error,
    })
  }

  const guarded = (what: string, work: Promise<void>) =>
    void work.catch((error: unknown) => ports.warn(what, error))

  return {
    start(live: Live, attempt: AttemptState): void {
      if (attempt.child !== null)
        guarded(`the child of ${live.state.executionId} did not start`, ensure(live, attempt, attempt.child))
    },

    /**
     * A child whose parent does not wait for it any more (its node was reset or timed out) is cancelled; the server may have ended
     * before it was told. Once somebody ran it again by itself it is nobody's child.
     */
    askParent({ state }: Live): void {
      const { parent, executionId, generation } = state
      if (parent === null || state.finishedAt !== null || generation > 1) return
      const ask = async () => {
        const waiting = (await ports.load(parent.executionId))?.state.inFlight.get(
          attemptId(parent.key.node, parent.key.item),
        )
        if (waiting?.child !== executionId) await ports.report(executionId, abandoned)
      }
      guarded(`the parent of ${executionId} was not asked`, ask())
    },

    cancel(childId: string): void {
      guarded(`${childId} was not cancelled`, ports.report(childId, abandoned))
    },

    /** What a commit means for the parent and for the children of an execution. */
    committed(live: Live, entries: readonly Entry[]): void {
      const { state } = live
      if (
        state.parent !== null &&
        state.finishedAt !== null &&
        entries.some(({ event }) => isOutcome(event.type))
      ) {
        guarded(`the parent of ${state.executionId} was not told`, tell(live))
      }
      for (const { event } of entries) {
        if (event.type !== 'pipeline.paused' && event.type !== 'pipeline.resumed') continue
        for (const { child } of state.inFlight.values()) {
          if (child === null) continue
          const input: SubmittedInput =
            event.type === 'pipeline.paused'
              ? {
                  type: 'pause',
                  reason: 'its parent is paused',
                  hard: event.payload['hard'] === true,
                  actor: ENGINE,
                }
              : { type: 'resume', actor: ENGINE }
          guarded(`${child} was not ${event.type.slice(9)}`, ports.report(child, input))
        }
      }
    },
  }
}

const isOutcome = (type: string) =>
  type === 'pipeline.completed' || type === 'pipeline.failed' || type === 'pipeline.cancelled'
