import { expect, it } from 'vitest'
import { noVoiceText, progressText } from './no-voice-text'

it.each([
  ['not_listed', null, 'You are not one of the approvers.'],
  ['requester', null, 'You started this run, or ran it again: somebody else has to decide.'],
  ['decided', 'approved', 'You have approved this.'],
  ['decided', null, 'You have decided this.'],
] as const)('[R-51] says to somebody why they have no form: %s', (reason, decision, text) => {
  expect(noVoiceText(reason, decision)).toBe(text)
})

it('says how many approvals there are of those that are needed', () => {
  expect(progressText(0, 1)).toBe('0 of 1 approval')
  expect(progressText(1, 2)).toBe('1 of 2 approvals')
})
