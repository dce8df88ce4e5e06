import { TRPCClientError } from '@trpc/client'
import { expect, it } from 'vitest'
import { problemOf } from './api'

it('distinguishes a refusal (signed out, too many requests) from a lost connection', () => {
  const answered = (json: object) => problemOf(TRPCClientError.from(json, { meta: { responseJSON: json } }))
  expect(answered({ error: { code: 'unauthenticated', message: 'Send a token.', issues: [] } })).toEqual({
    code: 'unauthenticated',
    message: 'You are signed out. Sign in again in another tab, then continue here.',
    issues: [],
  })
  expect(answered({ error: { code: 'rate_limited', message: 'Too many.' } }).message).toBe('Too many.')
  expect(answered({ error: 'gateway' }).code).toBe('unreachable')
  expect(problemOf(TRPCClientError.from(new TypeError('Failed to fetch'))).code).toBe('unreachable')
})
