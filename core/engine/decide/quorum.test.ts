import { describe, expect, it } from 'vitest'
import { ada, EngineRun, gate } from '@/testing/engine-run'
import { person } from '@/testing/person'
import { tooFewLeft, tooFewOf, tooFewText } from './quorum'

const bob = person('bob', ['approver'])
const eve = person('eve', ['viewer'])

describe('[R-51] an approval that nobody can give', () => {
  it('asks for more people than its list means', () => {
    expect(tooFewOf([ada, eve], ['role:approver'], 2)).toEqual({ needed: 2, able: 1 })
    expect(tooFewOf([ada, eve], ['role:approver', 'user:eve'], 2)).toBeNull()
    expect(tooFewOf([ada, eve], ['role:aprover'], 1)).toEqual({ needed: 1, able: 0 })
  })

  it('waits for more approvals than people who have a voice left can give', () => {
    const run = new EngineRun({ nodes: [gate('ask', { approvers: ['role:approver'], quorum: 2 })] })
    const left = (...people: Parameters<typeof tooFewLeft>[0]) => {
      const node = run.state.nodes.get('ask')
      if (node?.status !== 'waiting' || node.approval === null) throw new Error('asks nobody')
      return tooFewLeft(people, run.state, node.approval)
    }
    expect(left(ada, eve)).toEqual({ needed: 2, able: 1 })
    expect(left(ada, bob)).toBeNull()
    run.event('external.ask.approved')
    // Who has decided has no second voice.
    expect(left(ada, eve)).toEqual({ needed: 1, able: 0 })
    expect(left(ada, bob)).toBeNull()
  })

  it('does not count those who asked for the run where they are excluded', () => {
    const run = new EngineRun({
      nodes: [gate('ask', { approvers: ['role:approver'], excludeRequester: true })],
    })
    const node = run.state.nodes.get('ask')
    if (node?.status !== 'waiting' || node.approval === null) throw new Error('asks nobody')
    expect(tooFewLeft([ada], run.state, node.approval)).toEqual({ needed: 1, able: 0 })
    expect(tooFewLeft([ada, bob], run.state, node.approval)).toBeNull()
  })

  it('is put in words', () => {
    expect(tooFewText({ needed: 2, able: 1 })).toBe('2 approvals, but only 1 person may give them')
    expect(tooFewText({ needed: 1, able: 0 }, 'rejection')).toBe('1 rejection, but nobody may give it')
    expect(tooFewText({ needed: 3, able: 2 })).toBe('3 approvals, but only 2 people may give them')
  })
})
