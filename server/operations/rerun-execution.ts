import { eventTypeOf } from '@/core/pipeline/gate/event-type'
import { z } from 'zod'
import { resetSetOf } from '@/core/engine/decide/reset'
import type { Rerun } from '@/core/engine/input'
import type { ExecutionState } from '@/core/engine/state'
import type { OperationContext } from './context'
import { executionRow, stateOf } from './execution-exists'
import { rerunAsFork } from './rerun-as-fork'
import { keyed } from './idempotency'
import { operation } from './operation'
import { refusal } from './refusal'
import { idField, idempotencyField, nodeField } from './request-fields'

/**
 * Runs nodes again in the same run, with everything downstream; answers with exactly the nodes that are reset. `dry_run` answers the
 * same and changes nothing. A run stays with its revisions: with another `revision`, or with `sub_pipelines: newest`, the rerun is a fork at
 * the last event, and the answer names the new execution. It takes over what had completed and is the same, with all before it.
 * Unknown nodes are `unknown_node`, all at once; `failed` where nothing failed is `nothing_to_rerun`;
 * a run that is being cancelled refuses. A mock of the run that stands for a gate below it is `unknown_mock`.
 * `newer_sub_pipelines` names what has newer revisions than the rerun takes, when it runs other pipelines.
 */
export const rerunExecution = operation({
  kind: 'command',
  summary: 'Run nodes again in the same execution',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/rerun' },
  request: z.strictObject({
    execution_id: idField,
    nodes: z.union([
      z.literal('failed'),
      z.array(nodeField).min(1).max(500, 'at most 500 nodes can be named; what follows them is added anyway'),
    ]),
    revision: z
      .int()
      .min(1)
      .optional()
      .meta({ description: 'Another one than that of the execution: a new execution goes on with it.' }),
    sub_pipelines: z.enum(['same', 'newest']).optional().meta({
      description: 'newest: a new execution goes on with the newest revisions of all sub-pipelines.',
    }),
    dry_run: z.boolean().optional(),
    idempotency_key: idempotencyField,
  }),
  answer: z.strictObject({
    nodes: z.array(z.string()),
    newer_sub_pipelines: z
      .array(
        z.strictObject({
          pipeline_id: z.string(),
          revision: z.int().min(1).meta({ description: 'What the rerun takes.' }),
          newest: z.int().min(1),
        }),
      )
      .meta({ description: '`sub_pipelines: newest` takes the newest.' }),
    newer_revision: z.int().optional().meta({
      description: 'The newest revision of the pipeline, where that is another: `revision` takes it.',
    }),
    execution_id: z
      .string()
      .optional()
      .meta({ description: 'The new execution that goes on; absent: this one does, or it is a dry run.' }),
    forked_at_seq: z
      .int()
      .optional()
      .meta({ description: 'A new execution goes on from this event; absent: this one does.' }),
  }),
  errors: [
    'execution_finished',
    'invalid_inputs',
    'not_found',
    'nothing_to_rerun',
    'set_apart',
    'storage_full',
    'too_many_running',
    'unknown_mock',
    'unknown_node',
  ],
  example: {
    request: { execution_id: '01JDW3Q8', nodes: ['extract'] },
    answer: { nodes: ['extract', 'publish'], newer_sub_pipelines: [] },
  },
  run: async (ctx, caller, request): Promise<RerunAnswer> => {
    const { execution_id, nodes, dry_run } = request
    const { revision } = await executionRow(ctx, execution_id)
    if (request.sub_pipelines === 'newest' || (request.revision ?? revision) !== revision)
      return rerunAsFork(ctx, caller, request)
    if (dry_run === true) return dryRun(ctx, execution_id, nodes)
    await demandNoHiddenGates(ctx, execution_id)
    const key = keyed(ctx, caller, 'rerun_execution', request)
    const answer = await ctx.engine.submit({
      executionId: execution_id,
      input: { type: 'rerun', nodes, actor: caller },
      ...(key ? { idempotency: key } : {}),
    })
    if (!answer.ok) throw refusal(answer.rejection)
    const types = answer.entries.map(({ type }) => eventTypeOf(type))
    const resets = types.filter(({ level, word }) => level === 'node' && word === 'reset')
    return answerOf(
      ctx,
      execution_id,
      resets.map(({ node }) => node),
    )
  },
})

type RerunAnswer = {
  readonly nodes: readonly string[]
  readonly newer_revision?: number
  readonly execution_id?: string
  readonly forked_at_seq?: number
  readonly newer_sub_pipelines: readonly {
    readonly pipeline_id: string
    readonly revision: number
    readonly newest: number
  }[]
}

async function dryRun(ctx: OperationContext, executionId: string, nodes: Rerun): Promise<RerunAnswer> {
  const set = resetSetOf(await stateOf(ctx, executionId), nodes)
  if (!set.ok) throw refusal(set.rejection)
  await demandNoHiddenGates(ctx, executionId)
  return answerOf(ctx, executionId, set.nodes)
}

/** What follows a mock that stands for a gate is not run again. */
export async function demandNoHiddenGates(ctx: OperationContext, executionId: string): Promise<void> {
  const rejection = await ctx.runs.refusedMocks(await stateOf(ctx, executionId))
  if (rejection !== null) throw refusal(rejection)
}

async function answerOf(
  ctx: OperationContext,
  executionId: string,
  nodes: readonly string[],
): Promise<RerunAnswer> {
  const { pipeline, subPipelines } = await stateOf(ctx, executionId)
  const runsOthers = nodes.some((id) => pipeline.nodes.get(id)?.child)
  const newest = (await ctx.pipelines.get(pipeline.definition.id))?.revision ?? pipeline.revision
  return {
    nodes,
    newer_sub_pipelines: runsOthers ? await newerThan(ctx, subPipelines) : [],
    ...(newest > pipeline.revision ? { newer_revision: newest } : {}),
  }
}

async function newerThan({ pipelines }: OperationContext, fixed: ExecutionState['subPipelines']) {
  const all = await Promise.all(
    [...(fixed ?? [])].map(async ([pipeline_id, revision]) => {
      const newest = (await pipelines.get(pipeline_id))?.revision ?? revision
      return { pipeline_id, revision, newest }
    }),
  )
  return all.filter(({ revision, newest }) => newest > revision)
}
