import { describe, expect, it } from 'vitest'
import { S, node, pipeline } from '@/testing/definitions'
import { referencesOf } from './references'

const hook = (secret: string) => ({ id: 'hook', type: 'webhook', secret })
const asking = (approvers: string[]) => ({
  ...node('ask'),
  task: 'approval',
  inputBindings: { approvers, message: 'Go?' },
})

describe('what only the server knows', () => {
  it('is nothing in a definition that names nothing', () => {
    expect(referencesOf(pipeline([node('a', S)]))).toBe('')
  })

  it('is another when a secret, a pipeline, an input or an approver is named', () => {
    const all = [
      pipeline([node('a', S)], { triggers: [hook('secret:one')] }),
      pipeline([node('a', S)], { triggers: [hook('secret:two')] }),
      pipeline([{ id: 'a', pipeline: 'child', startWhen: S }]),
      pipeline([{ id: 'a', pipeline: 'child', startWhen: S, inputBindings: { x: 1 } }]),
      pipeline([asking(['role:approver'])]),
      pipeline([asking(['role:boss'])]),
      pipeline([{ ...asking(['role:boss']), inputBindings: { approvers: ['role:boss'], quorum: 2 } }]),
      pipeline([{ ...node('a'), task: 'shell' }]),
      pipeline([{ ...node('a'), resources: { gpu: 1 } }]),
      pipeline([{ ...node('a'), resources: { gpu: 2 } }]),
      pipeline([{ ...node('a'), workerGroup: 'big' }]),
    ].map((definition) => referencesOf(definition))
    expect(new Set([...all, '']).size).toBe(all.length + 1)
  })

  it('stays the same while other fields are edited', () => {
    const before = pipeline([asking(['role:approver']), node('a')])
    const after = pipeline([
      { ...asking(['role:approver']), name: 'Ask' },
      { ...node('a'), name: 'A' },
    ])
    expect(referencesOf(after)).toBe(referencesOf(before))
  })
})
