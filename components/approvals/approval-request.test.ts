import { describe, expect, it } from 'vitest'
import { readRequest } from './approval-request'

describe('the request of an approval', () => {
  it('is read as it was stored', () => {
    const request = {
      message: '12 months',
      approvers: ['role:approver'],
      quorum: 2,
      form: { note: { type: 'string' } },
    }
    expect(readRequest({ ...request, due_at: null })).toEqual(request)
  })

  it.each([null, 'x', 4, [], { message: 5, approvers: 'me', quorum: 0, form: [] }])(
    'survives %j',
    (given) => {
      expect(readRequest(given)).toEqual({ message: '', approvers: [], quorum: 1, form: null })
    },
  )
})
