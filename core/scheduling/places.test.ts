import { describe, expect, it } from 'vitest'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import { compiled, noop } from '@/testing/engine-run'
import { Places, standingOf } from './places'

const pipeline = compiled({ nodes: [noop('a')] })

function run(id: string, changes: Partial<ExecutionState> = {}): ExecutionState {
  return { ...emptyState(id, pipeline), seq: 1, priority: 5, ...changes }
}
const going = (id: string) => run(id, { lifecycle: 'EXECUTING' })

function limited(limit: number, whenFull: 'queue' | 'skip' | 'refuse' = 'queue'): Places {
  const places = new Places()
  places.setLimit('p', { limit, whenFull })
  return places
}

describe('places', () => {
  it('[R-68][R-74] are held from the start to the terminal event, and not by children', () => {
    expect(standingOf(emptyState('x', pipeline))).toBe('none')
    expect(standingOf(run('x'))).toBe('waits')
    expect(standingOf(going('x'))).toBe('holds')
    expect(standingOf(run('x', { lifecycle: 'COMMIT', finishedAt: 1 }))).toBe('none')
    const parent = {
      executionId: 'y',
      key: { node: 'n', generation: 1, item: null, attempt: 1, token: 1 },
      depth: 1,
    }
    expect(standingOf(run('x', { lifecycle: 'EXECUTING', parent }))).toBe('none')
    // A run that is taken up again counts again.
    expect(standingOf(run('x', { lifecycle: 'PENDING', finishedAt: null, generation: 2 }))).toBe('waits')
  })

  it('are given to who waits, by priority, then age, and nobody comes past them', () => {
    const places = limited(1)
    expect(places.ask('p', 'a')).toBe('free')
    places.settle(going('a'))
    expect(places.ask('p', 'b')).toBe('wait')
    places.settle(run('late', { createdAt: 2_000 }))
    places.settle(run('early', { createdAt: 1_000 }))
    places.settle(run('urgent', { createdAt: 3_000, priority: 9 }))
    expect(places.next()).toBeNull()
    expect(places.of('p')).toMatchObject({ holders: ['a'], waiting: ['urgent', 'early', 'late'] })
    places.settle(run('a', { lifecycle: 'FAILED', finishedAt: 5 }))
    expect(places.ask('p', 'new')).toBe('wait')
    expect(places.next()).toEqual({ pipelineId: 'p', executionId: 'urgent' })
    // It has its place before it has taken it.
    expect(places.next()).toBeNull()
    places.settle(run('urgent', { priority: 9 }))
    expect(places.ask('p', 'urgent')).toBe('free')
    places.leave('p', 'urgent')
    places.settle(run('early', { lifecycle: 'CANCELLED', finishedAt: 5 }))
    expect(places.next()).toMatchObject({ executionId: 'late' })
  })

  it('without a limit are free, and a limit that goes lets all go that wait', () => {
    const places = limited(1, 'refuse')
    places.settle(going('a'))
    expect(places.ask('p', 'b')).toBe('refuse')
    places.setLimit('p', { limit: 1, whenFull: 'queue' })
    places.settle(run('b'))
    places.settle(run('c'))
    places.setLimit('p', null)
    expect([places.next()?.executionId, places.next()?.executionId, places.next()]).toEqual(['b', 'c', null])
    for (const id of ['a', 'b', 'c']) places.leave('p', id)
    expect(places.of('p')).toEqual({ limit: null, whenFull: 'queue', holders: [], waiting: [] })
    expect(new Places().ask('p', 'x')).toBe('free')
  })
})
