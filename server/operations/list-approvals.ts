import type { Principal } from '@/core/engine/principal'
import { z } from 'zod'
import { isApprover } from '@/core/engine/decide/is-approver'
import type { PendingApproval } from '@/server/ports/journal'
import { withCursor } from './cursor'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'
import { operation } from './operation'
import { idField, pageFields } from './request-fields'
import { approval, exampleApproval } from './schemas/approval'
import { pageOf } from './schemas/json'

/** How many stored pages one answer may look through to find approvals that list the caller. */
const pagesPerAnswer = 20

/** Gates that wait for people, with what the approver decides on. `mine` keeps those that list the caller. */
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
    const items: PendingApproval[] = []
    let next = cursor ?? null
    for (let page = 0; page < pagesPerAnswer; page++) {
      const found = await withCursor(
        ctx.approvals.pending({
          limit: limit - items.length,
          ...(next === null ? {} : { cursor: next }),
          ...(execution_id === undefined ? {} : { executionId: execution_id }),
        }),
      )
      items.push(...found.items.filter((approval) => !mine || isListed(approval, caller)))
      next = found.nextCursor
      if (next === null || items.length >= limit) break
    }
    return { items: items.map((approval) => approvalSummary(approval, caller)), next_cursor: next }
  },
})

/** A waiting gate on the wire; `can_decide` says whether this caller is listed. */
export function approvalSummary(approval: PendingApproval, caller: Principal) {
  return {
    execution_id: approval.executionId,
    node_id: approval.nodeId,
    pipeline_id: approval.pipelineId,
    opened_at: formatInstant(approval.openedAt),
    due_at: formatInstantOrNull(approval.dueAt),
    request: approval.request,
    can_decide: isListed(approval, caller),
  }
}

function isListed(approval: PendingApproval, caller: Principal): boolean {
  const request = approval.request
  if (request === null || typeof request !== 'object' || !('approvers' in request)) return false
  const approvers: unknown = request.approvers
  return Array.isArray(approvers) && isApprover(approvers, caller)
}
