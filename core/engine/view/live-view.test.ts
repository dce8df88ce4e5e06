import { describe, expect, it } from 'vitest'
import { ada, EngineRun } from '@/testing/engine-run'
import { play } from '@/testing/play-run'
import { Random } from '@/testing/simulation/random'
import { randomPipeline } from '@/testing/simulation/random-pipeline'
import { withRollback } from '@/testing/simulation/random-rollback'
import { evolve } from '@/core/engine/fold/evolve'
import { createLiveView } from './live-view'
import { viewOf } from './project'
import { emptyState } from '@/core/engine/state'
import type { ExecutionView } from './view'

const randomDefinition = (random: Random) =>
  withRollback(randomPipeline(random, 'p', random.whole(1, 14), []).definition, random)

describe('a view that goes on', () => {
  it('is at every instant what is seen of a fresh fold, also of a run that is paused and run again', () => {
    for (let seed = 1; seed <= 60; seed++) {
      const random = new Random(seed)
      const run = new EngineRun(randomDefinition(random))
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

  it('keeps the forecast for `outlookMs`, and everything else is current', () => {
    const outlookMs = 60_000
    for (let seed = 1; seed <= 30; seed++) {
      const random = new Random(seed)
      const run = new EngineRun(randomDefinition(random))
      play(run)
      const live = createLiveView(emptyState('x1', run.state.pipeline), { outlookMs })
      const fresh = emptyState('x1', run.state.pipeline)
      let now = 0
      for (const entry of run.entries) {
        live.apply(entry)
        evolve(fresh, entry)
        now = Math.max(now, fresh.updatedAt) + random.whole(0, 5_000)
        expect(present(live.view(now)), `seed ${seed}, seq ${fresh.seq}`).toEqual(present(viewOf(fresh, now)))
        if (!random.chance(0.2)) continue
        now += outlookMs
        // Whether it is found beforehand or not.
        if (random.chance(0.5)) {
          expect(live.prepare(now)).toBe(fresh.finishedAt === null)
          expect(live.prepare(now)).toBe(false)
        }
        expect(live.view(now), `seed ${seed}, seq ${fresh.seq}, later`).toEqual(viewOf(fresh, now))
      }
    }
  })

  it('lets the slack of many nodes follow a new outlook in a few views, and all else at once', () => {
    const many = Array.from({ length: 250 }, (_, at) => `n${at}`)
    const noop = (id: string, startWhen: string, estimate = '1s') => ({
      id,
      task: 'noop',
      startWhen,
      estimate,
    })
    const run = new EngineRun({
      nodes: [
        noop('slow', 'event:pipeline.started', '20h'),
        noop('quick', 'event:pipeline.started', '10h'),
        ...many.map((id) => noop(id, 'event:quick.completed')),
      ],
    })
    const live = createLiveView(emptyState('x1', run.state.pipeline), { outlookMs: 1_000 })
    run.entries.forEach((entry) => live.apply(entry))
    const before = live.view(run.now)
    expect(live.isBehind()).toBe(false)
    // Quick is late by then, and what waits for it has less slack.
    const later = run.now + 15 * 3_600_000
    const exact = viewOf(run.state, later)
    const changed: number[] = []
    let [view, last] = [live.view(later), before]
    for (;;) {
      changed.push(many.filter((id) => view.nodes[id] !== last.nodes[id]).length)
      expect({ ...view, nodes: null }).toEqual({ ...exact, nodes: null })
      if (!live.isBehind()) break
      ;[view, last] = [live.view(later + 100), view]
      view = { ...view, updated_at: exact.updated_at, metrics: exact.metrics }
    }
    expect(Math.max(...changed)).toBeLessThanOrEqual(100)
    expect(changed.reduce((sum, one) => sum + one)).toBe(250)
    expect(view.nodes).toEqual(exact.nodes)
  })

  it('finds it anew at once when somebody acts on the run', () => {
    const node = { task: 'noop', startWhen: 'event:pipeline.started' }
    const run = new EngineRun({ nodes: [{ id: 'a', ...node }] })
    const live = createLiveView(emptyState('x1', run.state.pipeline), { outlookMs: 60_000 })
    run.entries.forEach((entry) => live.apply(entry))
    const first = live.view(run.now)
    expect(first.eta).not.toBeNull()
    expect(live.view(run.now + 1_000).eta).toBe(first.eta)
    const length = run.entries.length
    run.event('external.x')
    run.entries.slice(length).forEach((entry) => live.apply(entry))
    expect(live.view(run.now + 5_000).eta).toBe(viewOf(run.state, run.now + 5_000).eta)
    expect(live.view(run.now + 5_000).eta).not.toBe(first.eta)
  })
})

/** What is seen of a run without what is to come of it. */
function present({ eta, eta_p90, waits_for, critical_path, nodes, ...run }: ExecutionView) {
  void [eta, eta_p90, waits_for, critical_path]
  return {
    ...run,
    nodes: Object.entries(nodes).map(([id, { critical, slack_ms, ...node }]) => {
      void [critical, slack_ms]
      return { id, ...node }
    }),
  }
}
