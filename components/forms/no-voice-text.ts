import type { NoVoice } from '@/core/engine/decide/approval'

/** Why there is no form for somebody, in words to them. `decision`: what they decided. */
export function noVoiceText(
  reason: NoVoice | 'closed' | 'unreadable',
  decision: 'approved' | 'rejected' | null,
): string {
  switch (reason) {
    case 'not_listed':
      return 'You are not one of the approvers.'
    case 'requester':
      return 'You started this run, or reran it: somebody else has to decide.'
    case 'decided':
      return `You have ${decision ?? 'decided'} this.`
    case 'closed':
      return 'This is already decided.'
    case 'unreadable':
      return 'The run cannot be read, so nothing can be decided. See Health.'
  }
}
