import type { Rerun } from '@/core/engine/input'
import { nodeOfSnapshot } from '@/core/engine/fold/snapshot'
import type { Principal } from '@/core/engine/principal'
import { typedEvent } from '@/core/engine/typed-event'
import type { OperationContext } from './context'
import { keyed } from './idempotency'
import { missing, refusal } from './refusal'

type Asked = {
  readonly execution_id: string
  readonly nodes: Rerun
  readonly revision?: number | undefined
  readonly dry_run?: boolean | undefined
  readonly idempotency_key?: string | undefined
}

/**
 * A rerun under other revisions than the run has: a run stays with its own, so it is a fork at the last event. Answers with the nodes
 * that the new execution runs.
 */
export async function rerunAsFork(ctx: OperationContext, caller: Principal, request: Asked) {
  const { execution_id: executionId, nodes: asked, revision } = request
  const fork = { executionId, atSeq: null, asked, ...(revision === undefined ? {} : { revision }) }
  if (request.dry_run === true) {
    const preview = await ctx.engine.previewFork(fork)
    if (!preview.ok) throw refusal(preview.rejection)
    return { nodes: preview.again, newer_sub_pipelines: [], forked_at_seq: preview.atSeq }
  }
  const key = keyed(ctx, caller, 'rerun_execution', request)
  const begun = await ctx.engine.fork({ ...fork, actor: caller, ...(key ? { idempotency: key } : {}) })
  if (!begun.ok) throw refusal(begun.rejection)
  return {
    ...(await firstEntryOf(ctx, begun.executionId)),
    newer_sub_pipelines: [],
    execution_id: begun.executionId,
  }
}

/** What the new execution took over is in its first entry, also when the answer is given again. */
async function firstEntryOf({ journal, runs }: OperationContext, executionId: string) {
  const [entry] = await journal.read(executionId, { limit: 1 })
  const created = entry && typedEvent(entry.event)
  if (created?.level !== 'pipeline' || created.word !== 'created') throw missing('execution', executionId)
  const { pipeline_id, revision, origin } = created.payload
  const pipeline = await runs.pipeline(pipeline_id, revision)
  if (pipeline === null || origin === undefined) throw missing('revision', `${pipeline_id}@${revision}`)
  const taken = new Set(entry!.variables.map(({ name }) => nodeOfSnapshot(name)))
  return { nodes: [...pipeline.nodes.keys()].filter((id) => !taken.has(id)), forked_at_seq: origin.seq }
}
