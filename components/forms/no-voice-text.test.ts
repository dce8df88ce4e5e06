import { expect, it } from 'vitest'
import { noVoiceText } from './no-voice-text'

it.each([
  ['not_listed', null, 'You are not one of the approvers.'],
  ['requester', null, 'You started this run, or reran it: somebody else has to decide.'],
  ['decided', 'approved', 'You have approved this.'],
  ['decided', null, 'You have decided this.'],
] as const)('[R-51] says to somebody why they have no form: %s', (reason, decision, text) => {
  expect(noVoiceText(reason, decision)).toBe(text)
})
