import { expect, it } from 'vitest'
import { runStatus, runText } from './run-badge'

const run = { status: 'failed', handled_failures: 0, error: null }

it('[R-51] a run that a person’s no ended is rejected, not failed', () => {
  const rejected = { ...run, error: { kind: 'rejected', message: 'ask failed: rejected by ada: not yet' } }
  expect(runStatus(rejected)).toBe('rejected')
  expect(runText(rejected)).toBe('Rejected by ada')
  expect(runText({ ...run, error: { kind: 'timeout', message: 'ask failed: nobody decided' } })).toBe(
    'Failed',
  )
})

it('[R-89] a run that completed with a failure handled says so', () => {
  expect(runStatus({ ...run, status: 'completed', handled_failures: 2 })).toBe('handled')
  expect(runText({ ...run, status: 'completed', handled_failures: 2 })).toBe(
    'Completed, with 2 failures handled',
  )
})
