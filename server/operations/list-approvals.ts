import { isSame, type Principal } from '@/core/engine/principal'
import { z } from 'zod'
import { noVoiceOf, refusalOfVoter } from '@/core/engine/decide/approval'
import { tooFewLeft, tooFewText } from '@/core/engine/decide/quorum'
import { isApprover } from '@/core/engine/decide/is-approver'
import { isMocked } from '@/core/engine/mocked-values'
import type { ApprovalState, ExecutionState } from '@/core/engine/state'
import { isRecord } from '@/core/pipeline/json'
import type { PendingApproval } from '@/server/ports/journal'
import type { OperationContext } from './context'
import { withCursor } from './cursor'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'
import { operation } from './operation'
import { idField, pageFields } from './request-fields'
import { approval, exampleApproval } from './schemas/approval'
import { pageOf } from './schemas/json'

/** How many stored pages one answer may look through to find approvals that list the caller. */
const pagesPerAnswer = 20

/** Gates that wait for people, with what the approver decides on. `mine` keeps those that the caller can decide. */
export const listApprovals = operation({
  kind: 'query',
  summary: 'List approvals that wait for people',
  right: 'read',
  rest: { method: 'GET', path: '/approvals' },
  request: z.strictObject({
    ...pageFields,
    status: z.literal('pending').optional(),
    mine: z.boolean().optional(),
    execution_id: idField.optional(),
  }),
  answer: pageOf(approval),
  example: { request: { mine: true }, answer: { items: [exampleApproval], next_cursor: null } },
  run: async (ctx, caller, { limit, cursor, mine, execution_id }) => {
    const items: Awaited<ReturnType<typeof approvalSummary>>[] = []
    let next = cursor ?? null
    for (let page = 0; page < pagesPerAnswer; page++) {
      const found = await withCursor(
        ctx.approvals.pending({
          limit: limit - items.length,
          ...(next === null ? {} : { cursor: next }),
          ...(execution_id === undefined ? {} : { executionId: execution_id }),
        }),
      )
      for (const approval of found.items) {
        if (!mine || (await canDecide(ctx, approval, caller)))
          items.push(await approvalSummary(ctx, approval, caller))
      }
      next = found.nextCursor
      if (next === null || items.length >= limit) break
    }
    return { items, next_cursor: next }
  },
})

/** A waiting gate on the wire, with what this caller may do there. */
export async function approvalSummary(ctx: OperationContext, approval: PendingApproval, caller: Principal) {
  const { executionId, nodeId } = approval
  const asked = await openApproval(ctx, approval)
  const open = asked?.open ?? null
  const short =
    asked === null || open === null ? null : tooFewLeft(await ctx.people.list(), asked.state, open)
  const why = asked === null ? UNREADABLE : whyNot(asked, nodeId, caller)
  return {
    execution_id: executionId,
    node_id: nodeId,
    pipeline_id: approval.pipelineId,
    opened_at: formatInstant(approval.openedAt),
    due_at: formatInstantOrNull(approval.dueAt),
    request: approval.request,
    can_decide: why === null,
    why_not: why,
    approved: open?.votes.filter(({ decision }) => decision === 'approved').length ?? 0,
    decided: open?.votes.find(({ approver }) => isSame(approver, caller))?.decision ?? null,
    mocked: open?.mocked ?? [],
    by_hand: open?.byHand ?? [],
    run_mocked: asked !== null && isMocked(asked.state),
    unreachable: short === null ? null : `waits for ${tooFewText(short)}`,
  }
}

/** Whether the caller still has a voice there. */
export async function canDecide(ctx: OperationContext, approval: PendingApproval, caller: Principal) {
  const { request } = approval
  // Most are none of theirs: then the run need not be read.
  if (isRecord(request) && Array.isArray(request['approvers']) && !isApprover(request['approvers'], caller))
    return false
  const asked = await openApproval(ctx, approval)
  return asked !== null && whyNot(asked, approval.nodeId, caller) === null
}

type Asked = { readonly state: ExecutionState; readonly open: ApprovalState | null }

/** The approval as its run has it; null: a run that cannot be read takes no decision. */
async function openApproval(
  ctx: OperationContext,
  { executionId, nodeId }: PendingApproval,
): Promise<Asked | null> {
  const state = await ctx.runs.state(executionId).catch(() => null)
  const node = state?.nodes.get(nodeId)
  return state === null ? null : { state, open: node?.status === 'waiting' ? node.approval : null }
}

const UNREADABLE = { reason: 'unreadable', message: 'the run cannot be read: see the health page' } as const
const CLOSED = { reason: 'closed', message: 'the approval is already decided' } as const

function whyNot({ state, open }: Asked, nodeId: string, caller: Principal) {
  if (open === null) return CLOSED
  const reason = noVoiceOf(state, open, caller)
  return reason === null ? null : { reason, message: refusalOfVoter(reason, nodeId, open, caller).message }
}
