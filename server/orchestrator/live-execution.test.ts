import { describe, expect, it } from 'vitest'
import { emptyState } from '@/core/engine/state'
import { compiled, noop } from '@/testing/engine-run'
import { LiveExecutions, newLive } from './live-execution'

const live = (executionId: string) =>
  newLive(emptyState(executionId, compiled({ nodes: [noop('a')] })), null, true)

describe('executions in memory', () => {
  it('keeps the idle ones that were used last', () => {
    const lives = new LiveExecutions(2)
    for (const id of ['a', 'b', 'c']) {
      const one = live(id)
      lives.set(id, one)
      lives.note(one)
    }
    expect([...lives.values()].map(({ state }) => state.executionId)).toEqual(['b', 'c'])
  })

  it('[R-57][R-12] one that a batch moves stays, however many others become idle meanwhile', () => {
    const lives = new LiveExecutions(1)
    const moved = live('moved')
    lives.set('moved', moved)
    lives.note(moved)
    lives.set('moved', moved)
    for (const id of ['b', 'c']) {
      const other = live(id)
      lives.set(id, other)
      lives.note(other)
    }
    expect(lives.get('moved')).toBe(moved)
    lives.note(moved)
    expect(lives.get('c')).toBeUndefined()
  })
})
