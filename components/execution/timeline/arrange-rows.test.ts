import { describe, expect, it } from 'vitest'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import { EngineRun, gate, heavy, noop, S } from '@/testing/engine-run'
import { arrangeNodes, AS_DRAWN, type Arrangement } from './arrange-rows'
import { rowsOf } from './rows'

function example() {
  const run = new EngineRun({
    nodes: [
      heavy('slow', S, { name: 'Work hard' }),
      heavy('quick', S, { name: 'Aim' }),
      gate('ask'),
      noop('last', 'event:slow.completed && event:ask.approved'),
    ],
  })
  run.begin('slow')
  run.now += 100
  run.complete('quick')
  run.now += 900
  run.fail('slow')
  run.now += 4_000
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of run.entries) follow(timeline, entry)
  const statuses = {
    slow: { status: 'failed' },
    quick: { status: 'completed' },
    ask: { status: 'waiting' },
    last: { status: 'skipped' },
  } as const
  const arrange = (asked: Partial<Arrangement>) =>
    arrangeNodes(timeline, { ...AS_DRAWN, ...asked }, { statuses, critical: new Set(['slow']), end: run.now })
  return { timeline, arrange }
}

describe('the rows of a timeline, arranged', () => {
  it('are found by id, name or task, and by what became of them', () => {
    const { arrange } = example()
    expect(arrange({})).toEqual(['slow', 'quick', 'ask', 'last'])
    expect(arrange({ text: 'WORK' })).toEqual(['slow'])
    expect(arrange({ text: 'quick aim' })).toEqual(['quick'])
    expect(arrange({ text: 'approval' })).toEqual(['ask'])
    expect(arrange({ text: 'nowhere' })).toEqual([])
    expect(arrange({ shown: 'failed' })).toEqual(['slow'])
    expect(arrange({ shown: 'active' })).toEqual(['ask'])
    expect(arrange({ shown: 'critical' })).toEqual(['slow'])
    expect(arrange({ shown: 'completed', text: 'slow' })).toEqual([])
  })

  it('are sorted by name, by their work and by their wait; what did nothing comes last', () => {
    const { arrange, timeline } = example()
    expect(arrange({ order: 'name' })).toEqual(['quick', 'ask', 'last', 'slow'])
    expect(arrange({ order: 'work' })).toEqual(['slow', 'quick', 'ask', 'last'])
    expect(arrange({ order: 'wait' })[0]).toBe('ask')
    expect(arrange({ order: 'start' }).at(-1)).toBe('last')
    expect(rowsOf(timeline, new Set(), arrange({ order: 'name' })).map(({ key }) => key)).toEqual([
      ...['quick', 'ask', 'last', 'slow'],
    ])
  })
})
