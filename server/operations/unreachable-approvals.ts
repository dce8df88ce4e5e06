import type { Voter } from '@/core/engine/decide/approval'
import { tooFewLeft, tooFewOf, tooFewText } from '@/core/engine/decide/quorum'
import { isRecord } from '@/core/pipeline/json'
import type { PendingApproval } from '@/server/ports/journal'
import type { Violation } from '@/server/orchestrator/contract'
import type { OperationContext } from './context'

/** Approvals that are looked at, oldest first. */
const MOST_LOOKED_AT = 500

/** Approvals without a deadline that wait for more people than may decide them: their runs wait until somebody ends them. */
export async function unreachableApprovals(ctx: OperationContext): Promise<Violation[]> {
  if ((await ctx.approvals.count()) === 0) return []
  const people = await ctx.people.list()
  const { items } = await ctx.approvals.pending({ limit: MOST_LOOKED_AT })
  const found: Violation[] = []
  for (const approval of items) {
    if (approval.dueAt !== null || !mayBeShort(approval, people)) continue
    const text = await unreachableText(ctx, approval.executionId, approval.nodeId, people)
    if (text === null) continue
    const { executionId, nodeId, openedAt } = approval
    const message = `${text}: reject it, or cancel the run and publish a revision that asks for fewer`
    found.push({ executionId, nodeId, rule: 'unreachable_quorum', message, since: openedAt })
  }
  return found
}

/** Why an open approval is never given, in words; null: it can be, or is not open. */
export async function unreachableText(
  ctx: OperationContext,
  executionId: string,
  nodeId: string,
  people: readonly Voter[],
): Promise<string | null> {
  const state = await ctx.runs.state(executionId).catch(() => null)
  const node = state?.nodes.get(nodeId)
  if (state === null || node?.status !== 'waiting' || node.approval === null) return null
  const short = tooFewLeft(people, state, node.approval)
  return short === null ? null : `waits for ${tooFewText(short)}`
}

/** Whether its run has to be read: the list means too few people, or enough of whom some may have lost their voice. */
function mayBeShort({ request }: PendingApproval, people: readonly Voter[]): boolean {
  if (!isRecord(request) || !Array.isArray(request['approvers'])) return true
  const { approvers, quorum, reject_quorum: rejectQuorum, exclude_requester: excludes } = request
  const needed = typeof quorum === 'number' ? quorum : 1
  return excludes === true || rejectQuorum !== 1 || tooFewOf(people, approvers, needed) !== null
}
