import { isSame, type Principal } from '@/core/engine/principal'
import { z } from 'zod'
import { refusalOfVoter } from '@/core/engine/decide/approval'
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
        const summary = await approvalSummary(ctx, approval, caller)
        if (!mine || summary.can_decide) items.push(summary)
      }
      next = found.nextCursor
      if (next === null || items.length >= limit) break
    }
    return { items, next_cursor: next }
  },
})

/** A waiting gate on the wire; `can_decide` says whether this caller still has a voice there. */
export async function approvalSummary(ctx: OperationContext, approval: PendingApproval, caller: Principal) {
  const { executionId, nodeId } = approval
  // A run that cannot be read takes no decision either.
  const state = await ctx.runs.state(executionId).catch(() => null)
  const node = state?.nodes.get(nodeId)
  const open = node?.status === 'waiting' ? node.approval : null
  return {
    execution_id: executionId,
    node_id: nodeId,
    pipeline_id: approval.pipelineId,
    opened_at: formatInstant(approval.openedAt),
    due_at: formatInstantOrNull(approval.dueAt),
    request: approval.request,
    can_decide: state !== null && open !== null && refusalOfVoter(state, nodeId, open, caller) === null,
    approved: open?.votes.filter(({ decision }) => decision === 'approved').length ?? 0,
    decided: open?.votes.find(({ approver }) => isSame(approver, caller))?.decision ?? null,
  }
}
