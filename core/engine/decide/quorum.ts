import type { ApprovalState, ExecutionState } from '@/core/engine/state'
import { noVoiceOf, type Voter } from './approval'
import { isApprover } from './is-approver'

/** Votes that an approval needs, and how many people may give one: fewer. */
export type TooFew = { readonly needed: number; readonly able: number }

/** Whether a list of approvers means fewer of these people than the votes that are asked for; null: there are enough. */
export function tooFewOf(
  people: readonly Voter[],
  approvers: readonly unknown[],
  needed: number,
): TooFew | null {
  const able = people.filter((who) => isApprover(approvers, who)).length
  return able < needed ? { needed, able } : null
}

/** Whether fewer of these people can still approve than approvals are missing: then an open approval is never given. */
export function tooFewLeft(
  people: readonly Voter[],
  state: Pick<ExecutionState, 'requesters'>,
  approval: ApprovalState,
): TooFew | null {
  const needed = approval.quorum - approval.votes.filter(({ decision }) => decision === 'approved').length
  const able = people.filter((who) => noVoiceOf(state, approval, who) === null).length
  return able < needed ? { needed, able } : null
}

/** `2 approvals, but only 1 person may give them`. */
export function tooFewText({ needed, able }: TooFew, vote: 'approval' | 'rejection' = 'approval'): string {
  const votes = `${needed} ${vote}${needed === 1 ? '' : 's'}`
  const them = needed === 1 ? 'it' : 'them'
  const who = able === 0 ? 'nobody' : able === 1 ? 'only 1 person' : `only ${able} people`
  return `${votes}, but ${who} may give ${them}`
}
