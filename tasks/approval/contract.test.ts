import { describe, expect, it } from 'vitest'
import { approval } from './contract'

const asked = { message: 'Publish?', approvers: ['user:ada', 'user:bob'] }
const messagesOf = (input: object) =>
  approval.input.safeParse({ ...asked, ...input }).error?.issues.map(({ message }) => message) ?? []

describe('approval', () => {
  it('[R-51] never asks for more decisions than there are named people', () => {
    expect(messagesOf({ quorum: 2 })).toEqual([])
    expect(messagesOf({ quorum: 3 })).toEqual(['quorum is 3, but only 2 approvers are listed'])
    expect(messagesOf({ rejectQuorum: 3 })).toHaveLength(1)
    expect(messagesOf({ quorum: 3, approvers: ['role:approver'] })).toEqual([])
  })

  it('refuses what happens after a deadline where there is none', () => {
    expect(messagesOf({ onTimeout: 'approve' })).toEqual(['onTimeout needs a timeout'])
    expect(messagesOf({ onTimeout: 'approve', timeout: '1d' })).toEqual([])
  })
})
