import { describe, expect, it } from 'vitest'
import { ada, EngineRun } from '@/testing/engine-run'
import { play } from '@/testing/play-run'
import { Random } from '@/testing/simulation/random'
import { randomPipeline } from '@/testing/simulation/random-pipeline'
import { evolve } from './evolve'
import { createLiveView } from './live-view'
import { viewOf } from './project'
import { emptyState } from './state'

describe('a view that goes on', () => {
  it('is at every instant what is seen of a fresh fold, also of a run that is paused and run again', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed)
      const run = new EngineRun(randomPipeline(random, 'p', random.whole(1, 14), []).definition)
      play(run, random.whole(0, 40))
      if (run.state.finishedAt === null && random.chance(0.3)) {
        run.take({ type: 'pause', actor: ada, reason: null, hard: false })
        run.take({ type: 'resume', actor: ada })
      }
      play(run)
      run.take({ type: 'rerun', nodes: [random.pick([...run.state.nodes.keys()])], actor: ada })
      play(run)
      const live = createLiveView(emptyState('x1', run.state.pipeline))
      const fresh = emptyState('x1', run.state.pipeline)
      for (const entry of run.entries) {
        live.apply(entry)
        evolve(fresh, entry)
        const now = fresh.updatedAt + random.whole(0, 5_000)
        expect(live.view(now), `seed ${seed}, seq ${fresh.seq} ${entry.event.type}`).toEqual(
          viewOf(fresh, now),
        )
      }
    }
  })

  it('keeps the objects of nodes to which nothing happened', () => {
    const run = new EngineRun({
      nodes: ['a', 'b', 'c'].map((id) => ({ id, task: 'noop', startWhen: 'event:pipeline.started' })),
    })
    const live = createLiveView(emptyState('x1', run.state.pipeline))
    const take = (from: number) => run.entries.slice(from).forEach((entry) => live.apply(entry))
    take(0)
    const before = live.view(run.now)
    const length = run.entries.length
    run.complete('b')
    take(length)
    const after = live.view(run.now)
    expect(after.nodes['b']?.status).toBe('completed')
    expect(after.nodes['a']).toBe(before.nodes['a'])
    expect(after.nodes['c']).toBe(before.nodes['c'])
  })
})
