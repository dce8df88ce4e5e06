import { z } from 'zod'
import { rollbackScope } from '@/core/engine/event-parts'
import { planRollback, type RollbackAsked, type RollbackPlan } from '@/core/engine/decide/rollback-plan'
import { refusalOf } from '@/core/engine/decide/rollback'
import { isFinished, isTerminal, type ExecutionState } from '@/core/engine/state'
import type { OperationContext } from './context'
import { stateOf } from './execution-exists'
import { keyed } from './idempotency'
import { forksOf } from './list-forks'
import { operation } from './operation'
import { missing, refusal } from './refusal'
import { idField, idempotencyField } from './request-fields'

/**
 * Undoes what an execution did, or a part of it with all that follows: the rollback tasks of its nodes run, leaves first. It answers with the plan,
 * and `dry_run` with the same and changes nothing. What runs is stopped first. Nodes that nothing undoes are named and stay as they are. With
 * `restart` what was rolled back runs again; otherwise the execution ends as `rolled_back`.
 */
export const rollbackExecution = operation({
  kind: 'command',
  summary: 'Roll back an execution, or a part of it',
  right: 'operate',
  rest: { method: 'POST', path: '/executions/:execution_id/rollback' },
  request: z.strictObject({
    execution_id: idField,
    scope: rollbackScope,
    target: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The phase, the node or the artifact; absent for the whole execution.' }),
    restart: z
      .boolean()
      .optional()
      .meta({ description: 'Run again what was rolled back, with all that follows it.' }),
    reason: z.string().max(2_000).optional(),
    dry_run: z.boolean().optional(),
    idempotency_key: idempotencyField,
  }),
  answer: z.strictObject({
    order: z.array(z.array(z.string())).meta({
      description: 'Nodes that are undone, leaves first; those of one list at the same time.',
    }),
    irreversible: z.array(z.string()).meta({ description: 'Nodes that say that nothing undoes them.' }),
    uncompensated: z.array(z.string()).meta({
      description: 'Nodes that changed something outside, and of which nothing says how to undo it.',
    }),
    nodes: z
      .array(z.string())
      .meta({ description: 'All nodes concerned: of the scope, and what follows them.' }),
    stops: z.array(z.string()).meta({ description: 'Nodes that have not ended and are stopped.' }),
    consumed: z.array(z.strictObject({ node_id: z.string(), by: z.array(z.string()) })).meta({
      description: 'Nodes whose results others have used by now.',
    }),
    other_runs: z
      .array(z.strictObject({ execution_id: z.string(), how: z.enum(['fork', 'parent']) }))
      .meta({ description: 'Executions that took over or got results of this one; they stay as they are.' }),
  }),
  errors: [
    'execution_finished',
    'not_found',
    'nothing_to_roll_back',
    'payload_too_large',
    'rolling_back',
    'set_apart',
    'unknown_node',
    'unknown_phase',
  ],
  example: {
    request: { execution_id: '01JDW3Q8', scope: 'execution', dry_run: true },
    answer: {
      order: [['publish'], ['extract']],
      irreversible: ['mail'],
      uncompensated: [],
      nodes: ['extract', 'publish', 'mail'],
      stops: [],
      consumed: [{ node_id: 'extract', by: ['publish'] }],
      other_runs: [],
    },
  },
  run: async (ctx, caller, request): Promise<RollbackAnswer> => {
    const { execution_id: executionId, restart = false, reason = null } = request
    const asked = await askedOf(ctx, request)
    const state = await stateOf(ctx, executionId)
    const refused = refusalOf(state)
    if (refused !== null) throw refusal(refused)
    const planned = planRollback(state, asked)
    if (!planned.ok) throw refusal(planned.rejection)
    const preview = await previewOf(ctx, state, planned.plan)
    if (request.dry_run === true) return preview
    const key = keyed(ctx, caller, 'rollback_execution', request)
    const answer = await ctx.engine.submit({
      executionId,
      input: { type: 'roll_back', ...asked, restart, reason, actor: caller },
      ...(key ? { idempotency: key } : {}),
    })
    if (!answer.ok) throw refusal(answer.rejection)
    return preview
  },
})

type RollbackAnswer = Omit<RollbackPlan, 'nodes'> & {
  readonly nodes: readonly string[]
  readonly stops: readonly string[]
  readonly consumed: readonly { readonly node_id: string; readonly by: readonly string[] }[]
  readonly other_runs: readonly { readonly execution_id: string; readonly how: 'fork' | 'parent' }[]
}

/** An artifact stands for the node that made it. */
async function askedOf(
  { artifacts }: OperationContext,
  request: { execution_id: string; scope: RollbackAsked['scope']; target?: string | undefined },
): Promise<RollbackAsked> {
  const { execution_id, scope, target = null } = request
  if (scope === 'execution') return { scope, target: null }
  if (scope !== 'artifact') return { scope, target }
  const row = (await artifacts.list(execution_id)).find(({ artifactId }) => artifactId === target)
  if (row === undefined) throw missing('artifact', target ?? '')
  return { scope, target, madeBy: row.nodeId }
}

async function previewOf(
  ctx: OperationContext,
  state: ExecutionState,
  plan: RollbackPlan,
): Promise<RollbackAnswer> {
  const { order, irreversible, uncompensated, nodes } = plan
  const ran = (id: string) => {
    const status = state.nodes.get(id)?.status
    return status !== undefined && status !== 'pending' && status !== 'skipped'
  }
  const consumed = [...order.flat(), ...irreversible, ...uncompensated].flatMap((id) => {
    const by = (state.pipeline.successors.get(id) ?? []).filter(ran)
    return by.length === 0 ? [] : [{ node_id: id, by }]
  })
  const forks = await forksOf(ctx, state.executionId)
  const { parent } = state
  return {
    ...{ order, irreversible, uncompensated, nodes, consumed },
    stops: isFinished(state)
      ? []
      : [...state.nodes].flatMap(([id, { status }]) =>
          isTerminal(status) || state.pipeline.nodes.get(id)?.finally ? [] : [id],
        ),
    other_runs: [
      ...(parent === null ? [] : [{ execution_id: parent.executionId, how: 'parent' as const }]),
      ...forks.map(({ execution_id }) => ({ execution_id, how: 'fork' as const })),
    ],
  }
}
