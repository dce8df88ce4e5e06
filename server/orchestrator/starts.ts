import { LIMITS } from '@/core/engine/event'
import { emptyState, statusOf } from '@/core/engine/state'
import type { Ids } from '@/server/ports/ids'
import type { StorageGauge } from '@/server/ports/storage'
import type { Outcome, Submission } from './submission'
import type { ForkRequest, StartRequest } from './contract'
import type { NewChild } from './children'
import { createFork, type Descent, type ForkPorts, type Started } from './fork'
import { newLive, type Live, type LiveExecutions } from './live-execution'
import type { NodeDurations } from './node-durations'
import { conflict, type Once } from './once'
import { demandReady, type PhaseOf } from './phase'
import type { RunLimits } from './run-limits'
import { hasSubPipelines, type SubPipelinesOfRuns } from './sub-pipelines'

export type StartsPorts = Omit<ForkPorts, 'newId' | 'begin'> & {
  readonly ids: Ids
  readonly durations: NodeDurations
  readonly limits: RunLimits
  readonly lives: LiveExecutions
  readonly pass: (submission: Pick<Submission, 'executionId' | 'input' | 'remember'>) => Promise<Outcome>
  readonly once: Once
  readonly subPipelines: SubPipelinesOfRuns
  /** When it is full no new run begins; children go on with their parents. */
  readonly storage?: StorageGauge
  readonly phase: PhaseOf
}

const FULL: Started = {
  ok: false,
  rejection: {
    code: 'storage_full',
    message:
      'The database has reached PENSTOCK_MAX_DATABASE_MB: no new runs are taken until old ones are removed or the limit is raised.',
  },
}

const TOO_MANY: Started = {
  ok: false,
  rejection: {
    code: 'payload_too_large',
    message: `more than ${LIMITS.subPipelines} different pipelines run below this one`,
  },
}

/** How runs come to be: by a request, by a fork of another run, or as the child of a node. */
export function createStarts(ports: StartsPorts) {
  const { compiled, durations, limits, lives } = ports
  const newId = () => ports.ids.execution()
  const { fork, preview } = createFork({ ...ports, newId, begin })

  async function begin(
    request: StartRequest,
    descent: Descent = { executionId: newId(), parent: null, origin: null, fixed: null },
  ): Promise<Started> {
    const { pipelineId, revision, idempotency, ...asked } = request
    const pipeline = await compiled.get(pipelineId, revision)
    if (pipeline === null) {
      const message = `there is no revision ${revision} of pipeline '${pipelineId}'`
      return { ok: false, rejection: { code: 'not_found', message } }
    }
    const { executionId, parent, origin, fixed } = descent
    // From here on the run takes each pipeline below it in one revision, whatever is published meanwhile.
    const below = hasSubPipelines(pipeline) ? await ports.subPipelines.below(pipeline, fixed) : undefined
    if (below === null) return TOO_MANY
    await Promise.all([durations.load(pipelineId), limits.limited(pipelineId)])
    const state = emptyState(executionId, pipeline, ports.values.of(executionId))
    lives.set(executionId, newLive(state, null, true))
    const answerOf = (live: Live) => ({ executionId, status: statusOf(live.state) })
    const outcome = await ports.pass({
      executionId,
      input: { type: 'start', ...asked, parent, origin, ...(below && { subPipelines: below }) },
      ...(idempotency && { remember: (live: Live) => ({ ...idempotency, answer: answerOf(live) }) }),
    })
    if (outcome.ok) return { ok: true, repeated: false, ...answerOf(outcome.live) }
    lives.delete(executionId)
    return outcome
  }

  async function startOnce(key: StartRequest['idempotency'], run: () => Promise<Started>): Promise<Started> {
    demandReady(ports.phase)
    const begun = async (): Promise<Started> =>
      (await ports.storage?.use())?.level === 'full' ? FULL : run()
    const answer = await ports.once<Started>(key, begun, (record) => ({
      ok: true,
      repeated: true,
      ...(record.answer as { executionId: string; status: string }),
    }))
    return answer === 'conflict' ? conflict(key!.key) : answer
  }

  /** The execution that works for a node of another; answers with what refused it, or null. */
  async function beginChild(child: NewChild) {
    const { executionId, pipelineId, revision, inputs, mockedInputs, of, parent, traceParent } = child
    const above = child.byHandAbove
    const { priority, labels, requestedBy: actor, requesters } = of.state
    const also = requesters.slice(1)
    const begun = await begin(
      {
        ...{ pipelineId, revision, inputs, actor, priority, labels, mocks: {}, mockedInputs },
        ...(traceParent === undefined ? {} : { traceParent }),
        ...(also.length === 0 ? {} : { alsoRequestedBy: also }),
        ...(above.length === 0 ? {} : { byHandAbove: above }),
      },
      { executionId, parent, origin: null, fixed: of.state.subPipelines },
    )
    return begun.ok ? null : begun.rejection.message
  }

  return {
    beginChild,
    start: (request: StartRequest): Promise<Started> => startOnce(request.idempotency, () => begin(request)),

    /** A new run that begins with what another had come to. */
    fork: (request: ForkRequest): Promise<Started> => startOnce(request.idempotency, () => fork(request)),
    previewFork: preview,
  }
}

export type Starts = ReturnType<typeof createStarts>
