import { canonicalJson } from '@/core/pipeline/canonical'
import type { Snapshot, StartInput } from '@/core/engine/input'
import { parseInstant } from '@/core/engine/instant'
import { isSame } from '@/core/engine/principal'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Answer, ForkPreview, ForkRequest, StartRequest } from './contract'
import { createForkPlan, type ForkPlanPorts, type Planned } from './fork-plan'
import type { FixedRevisions } from './sub-pipelines'

export type Started = Answer<{ readonly executionId: string; readonly status: string }>
/** Whose child, or whose fork, a new run is. */
export type Descent = Pick<StartInput, 'parent' | 'origin'> & {
  readonly executionId: string
  /** Revisions of pipelines below it that are fixed by the run that it comes from. */
  readonly fixed: FixedRevisions
}

export type ForkPorts = ForkPlanPorts & {
  readonly artifacts: Pick<ArtifactStore, 'list' | 'share'>
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
  const plan = createForkPlan(ports)

  async function fork(request: ForkRequest): Promise<Started> {
    const { executionId, actor, idempotency } = request
    const planned = await plan(request)
    if (!planned.ok) return planned
    const { state, pipeline, atSeq, inputs, given, asBefore, snapshot } = planned
    const forked = ports.newId()
    await shareFiles(executionId, snapshot, forked)
    // What goes on is theirs too: they may not decide it where requesters may not.
    const also = atSeq === 0 ? [] : state.requesters.filter((who) => !isSame(who, actor))
    const scheduled = state.variables.get('system.scheduled_at')?.value
    const started = await ports.begin(
      {
        pipelineId: pipeline.definition.id,
        revision: pipeline.revision,
        inputs,
        actor,
        ...(also.length === 0 ? {} : { alsoRequestedBy: also }),
        priority: state.priority,
        labels: state.labels,
        mockedInputs: state.mockedInputs.filter(
          (name) => name in inputs && (atSeq > 0 || sameValue(inputs[name], given[name])),
        ),
        ...(atSeq > 0 && state.byHandAbove.length > 0 ? { byHandAbove: state.byHandAbove } : {}),
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

  async function preview(request: Planned): Promise<Answer<ForkPreview>> {
    const planned = await plan(request)
    if (!planned.ok) return planned
    const { pipeline, atSeq, snapshot } = planned
    const taken = new Set(snapshot.variables.flatMap(({ name }) => nodeOfSnapshot(name) ?? []))
    const ids = [...pipeline.nodes.keys()]
    return {
      ok: true,
      repeated: false,
      atSeq,
      revision: pipeline.revision,
      reused: ids.filter((id) => taken.has(id)),
      again: ids.filter((id) => !taken.has(id)),
    }
  }

  /** Files of the nodes that are taken over belong to the new run too: they stay when the old one is removed. */
  async function shareFiles(from: string, { variables }: Snapshot, to: string): Promise<void> {
    const nodes = new Set(variables.flatMap(({ name }) => nodeOfSnapshot(name) ?? []))
    const values = new Set(variables.flatMap(({ ref }) => ref?.artifact_id ?? []))
    for (const row of await ports.artifacts.list(from)) {
      if (nodes.has(row.nodeId) || values.has(row.artifactId)) await ports.artifacts.share(row, to)
    }
  }

  return { fork, preview }
}

const sameValue = (a: unknown, b: unknown): boolean => canonicalJson(a ?? null) === canonicalJson(b ?? null)
