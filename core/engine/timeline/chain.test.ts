import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, failing, gate, heavy, noop, wait } from '@/testing/engine-run'
import { criticalChain } from './chain'
import { follow, newTimeline } from './timeline'

const chainOf = (run: EngineRun, now = run.now): string[] => {
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of run.entries) follow(timeline, entry)
  const zero = timeline.startedAt ?? 0
  return criticalChain(timeline, now).map(({ node, kind, from, to }) =>
    `${node ?? ''} ${kind} ${from - zero}-${to - zero}`.trim(),
  )
}

describe('the critical path of what happened', () => {
  it('[H-4] goes back from the node that ended last over whatever let each begin', () => {
    const run = new EngineRun({
      nodes: [
        heavy('a'),
        heavy('b'),
        heavy('c', 'event:a.completed && event:b.completed'),
        heavy('d', 'event:a.completed'),
      ],
    })
    run.now += 10
    run.complete('a')
    run.now += 20
    run.complete('b')
    run.now += 5
    run.complete('d')
    run.now += 5
    run.complete('c')
    expect(chainOf(run)).toEqual(['b run 0-30', 'c run 30-40'])
    // Long after the end it is the same.
    expect(chainOf(run, run.now + 1_000)).toEqual(['b run 0-30', 'c run 30-40'])
  })

  it('[H-4] names queues, tries and decisions, and time that nothing explains', () => {
    const retry = { maxAttempts: 2, strategy: 'fixed', delay: '100ms', jitter: 0 } as const
    const run = new EngineRun(
      {
        nodes: [
          heavy('a'),
          heavy('b', S, { retry }),
          gate('g', {}, 'event:b.completed'),
          noop('z', 'event:g.approved'),
        ],
      },
      { slots: 1 },
    )
    run.now += 40
    run.complete('a')
    run.now += 2
    run.take({ type: 'admit', node: 'b' })
    run.now += 8
    run.fail('b')
    run.pass(100)
    run.now += 50
    run.take({ type: 'pause', reason: null, hard: false, actor: ada })
    run.complete('b')
    run.now += 7
    run.take({ type: 'resume', actor: ada })
    run.now += 600
    run.event('external.g.approved')
    run.now += 1
    run.complete('z')
    expect(chainOf(run)).toEqual([
      'b queue 0-42',
      'b run 42-50',
      'b wait 50-150',
      'b run 150-200',
      'gap 200-207',
      'g wait 207-807',
      'z run 807-808',
    ])
  })

  it('[R-67] waits for the outside since all else was there, whether the run recorded that at once or later', () => {
    const run = new EngineRun({
      nodes: [
        noop('a'),
        noop('b', 'event:a.completed && event:external.go'),
        noop('c', 'event:a.started && event:external.go'),
      ],
    })
    run.now += 10
    expect(chainOf(run)).toEqual(['a run 0-10'])
    run.complete('a')
    run.now += 30
    expect(chainOf(run)).toEqual(['a run 0-10', 'b wait 10-40'])
    run.event('external.go')
    run.now += 2
    run.complete('b')
    run.now += 2
    run.complete('c')
    expect(chainOf(run)).toEqual(['a run 0-10', 'b wait 10-40', 'c run 40-44'].with(1, 'c wait 10-40'))
  })

  it('[R-67] shows afterwards which node waited for the outside while another still ran', () => {
    const run = new EngineRun({ nodes: [heavy('a'), noop('c', 'event:a.started && event:external.go')] })
    run.now += 30
    expect(chainOf(run)).toEqual(['a run 0-30'])
    run.event('external.go')
    run.now += 5
    run.complete('a')
    run.now += 10
    run.complete('c')
    expect(chainOf(run)).toEqual(['c wait 0-30', 'c run 30-45'])
  })

  it('[R-64] leads through what a node did before it was run again', () => {
    const run = new EngineRun({ nodes: [heavy('a'), heavy('b', 'event:a.completed')] })
    run.now += 10
    run.complete('a')
    run.now += 5
    run.take({ type: 'rerun', nodes: ['b'], actor: ada })
    run.now += 20
    run.complete('b')
    expect(chainOf(run)).toEqual(['a run 0-10', 'b run 10-35'])
    run.now += 100
    run.take({ type: 'rerun', nodes: ['b'], actor: ada })
    run.now += 3
    run.complete('b')
    expect(chainOf(run)).toEqual(['b run 0-3'])
  })

  it('[R-55] shows a forEach as running while any of its items runs', () => {
    const run = new EngineRun(
      { nodes: [heavy('x'), heavy('a', S, { forEach: { items: [1, 2], concurrency: 1 } })] },
      { slots: 1 },
    )
    run.now += 5
    run.complete('x')
    run.now += 1
    run.take({ type: 'admit', node: 'a' })
    run.now += 10
    run.complete('a/0')
    run.now += 10
    run.complete('a/1')
    expect(chainOf(run)).toEqual(['a queue 0-6', 'a run 6-26'])
  })

  it('is that of a failure, and of a timer', () => {
    const run = new EngineRun({
      nodes: [wait('w', '1s'), failing('f', 'event:w.completed'), noop('n', 'event:f.completed')],
    })
    run.pass(1_000)
    run.now += 4
    run.fail('f')
    expect(run.node('n').status).toBe('skipped')
    expect(chainOf(run)).toEqual(['w wait 0-1000', 'f run 1000-1004'])
  })
})
