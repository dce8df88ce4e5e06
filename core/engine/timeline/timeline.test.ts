import { describe, expect, it } from 'vitest'
import { EngineRun, S, ada, gate, heavy, noop, wait, type NodeSpec } from '@/testing/engine-run'
import type { Entry } from '@/core/engine/event'
import { formatInstant } from '@/core/engine/instant'
import type { Interval } from './intervals'
import { follow, newTimeline, type Timeline } from './timeline'

function timelineOf(run: EngineRun, entries: readonly Entry[] = run.entries): Timeline {
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of entries) follow(timeline, entry)
  return timeline
}

const start = Date.UTC(2026, 0, 1)
const since = (instant: number | null) => (instant === null ? 'now' : String(instant - start))

const words = ({ kind, waitsFor, item, attempt, from, to, outcome }: Interval) =>
  [
    item === null ? '' : `item ${item}`,
    `${waitsFor ?? kind}${attempt === null ? '' : ` #${attempt}`}`,
    `${since(from)}-${since(to)}`,
    outcome ?? '',
  ]
    .filter((word) => word !== '')
    .join(' ')

const spansOf = (run: EngineRun, node: string): string[] => timelineOf(run).nodes.get(node)!.all.map(words)

describe('what a node did over time', () => {
  it('[R-8] is its queue, its tries and what lies between them', () => {
    const retry = { maxAttempts: 2, strategy: 'fixed', delay: '100ms', jitter: 0 } as const
    const run = new EngineRun({ nodes: [heavy('a'), heavy('b', S, { retry })] }, { slots: 1 })
    run.now += 30
    run.complete('a')
    run.take({ type: 'admit', node: 'b' })
    run.begin('b')
    run.now += 10
    run.fail('b')
    expect(spansOf(run, 'b')).toEqual(['queued #1 0-30', 'running #1 30-40 failed', 'retrying #2 40-now'])
    run.pass(100)
    run.now += 5
    run.complete('b')
    expect(spansOf(run, 'b').slice(1)).toEqual([
      'running #1 30-40 failed',
      'retrying #2 40-140',
      'running #2 140-145 completed',
    ])
    expect(timelineOf(run).nodes.get('b')?.all[1]?.error).toBe('no')
  })

  it('[R-12][R-72] goes on under the same number after a loss, and stops for a hard pause', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.begin('a')
    run.now += 10
    run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'gone' })
    run.begin('a')
    run.now += 10
    run.take({ type: 'pause', reason: null, hard: true, actor: ada })
    run.now += 10
    run.take({ type: 'resume', actor: ada })
    run.now += 10
    run.complete('a')
    expect(spansOf(run, 'a')).toEqual([
      'running #1 0-10 lost',
      'running #1 10-20 stopped',
      'queued #1 20-30',
      'running #1 30-40 completed',
    ])
  })

  it('[R-8][R-12] says that a worker was lost where another attempt follows', () => {
    const retry = { maxAttempts: 2, strategy: 'fixed', delay: '100ms', jitter: 0 } as const
    const run = new EngineRun({ nodes: [heavy('a', S, { retry, onLost: 'fail' })] })
    run.begin('a')
    run.now += 10
    run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'gone' })
    expect(spansOf(run, 'a')).toEqual(['running #1 0-10 lost', 'retrying #2 10-now'])
  })

  it('[R-90] waits to begin until its work does, and never began where it was lost before', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.now += 10
    run.take({ type: 'lose_attempt', key: run.attempt('a'), reason: 'gone' })
    run.now += 5
    run.begin('a')
    run.now += 20
    run.complete('a')
    expect(spansOf(run, 'a')).toEqual(['begin #1 0-10 lost', 'begin #1 10-15', 'running #1 15-35 completed'])
    // It has had its slot all that time.
    expect(timelineOf(run).nodes.get('a')?.spans.at(-1)?.pieces).toEqual([
      { kind: 'run', from: start, to: start + 35 },
    ])
  })

  it('[R-51][R-67][N-8] is what it waits for: people, a time, the outside, another run', () => {
    const child = { id: 'c', pipeline: 'other', startWhen: S } as NodeSpec
    const run = new EngineRun({
      nodes: [gate('g'), wait('w', '1s'), noop('e', 'event:external.go', { startTimeout: '5s' }), child],
    })
    run.pass(1_000)
    run.event('external.g.rejected')
    expect(spansOf(run, 'g')).toEqual(['people 0-1000 rejected'])
    expect(spansOf(run, 'w')).toEqual(['time #1 0-1000 completed'])
    expect(spansOf(run, 'e')).toEqual(['event 0-now'])
    expect(spansOf(run, 'c')).toEqual(['child #1 0-now'])
    const { nodes } = timelineOf(run)
    expect(nodes.get('e')?.all[0]?.dueAt).toBe(start + 5_000)
    expect(nodes.get('c')?.all[0]?.child).toBe('child1')
    run.pass(4_000)
    expect(spansOf(run, 'e')).toEqual(['event 0-5000 timeout'])
  })

  it('[R-55] is one row an item of a forEach, and what any of them does as its pieces', () => {
    const run = new EngineRun({ nodes: [heavy('m', S, { forEach: { items: [1, 2], concurrency: 1 } })] })
    run.now += 10
    run.complete('m/0')
    run.begin('m/1')
    run.now += 10
    const node = timelineOf(run).nodes.get('m')!
    expect([...node.byItem].map(([item, own]) => [item, own.map(words)])).toEqual([
      [0, ['item 0 running #1 0-10 completed']],
      [1, ['item 1 running #1 10-now']],
    ])
    expect(node.spans.at(-1)?.pieces).toEqual([{ kind: 'run', from: start, to: null }])
  })

  it('[R-64] ends with a reset, and begins again under the next generation', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.begin('a')
    run.now += 10
    run.take({ type: 'rerun', nodes: ['a'], actor: ada })
    run.begin('a')
    expect(spansOf(run, 'a')).toEqual(['running #1 0-10 reset', 'running #1 10-now'])
    expect(
      timelineOf(run)
        .nodes.get('a')
        ?.all.map(({ generation }) => generation),
    ).toEqual([1, 2])
  })
})

describe('the timeline of a run', () => {
  it('is idle where nothing is open, or all that is waits for people or the outside', () => {
    const run = new EngineRun({
      nodes: [heavy('a'), gate('g', {}, 'event:a.completed'), heavy('b', 'event:g.completed')],
    })
    run.now += 10
    run.complete('a')
    run.now += 500
    run.event('external.g.approved')
    run.now += 10
    run.complete('b')
    const idle = timelineOf(run).idle.map(({ from, to }) => `${since(from)}-${since(to)}`)
    expect(idle).toEqual(['10-510', '520-now'])
  })

  it('never goes back when the clock does', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.now += 1_000
    run.complete('a')
    const entries = run.entries.map((entry) =>
      entry.event.type === 'a.completed'
        ? { ...entry, event: { ...entry.event, timestamp: formatInstant(start - 60_000) } }
        : entry,
    )
    const timeline = timelineOf(run, entries)
    expect(timeline.at).toBe(start + 1_000)
    expect(timeline.nodes.get('a')?.spans.at(-1)?.end).toBe(start + 1_000)
  })

  it('[R-78] of a fork knows what had ended in the run that it left: the rest waits for the outside alone', () => {
    const definition = { nodes: [noop('a'), noop('b', 'event:a.completed && event:external.go')] }
    const ended = {
      status: 'completed',
      attempts: 1,
      events: ['completed'],
      handlers: [],
      outputs: [],
      approval: null,
    }
    const at = formatInstant(start)
    const variables = [{ name: 'pipeline/a', value: { ...ended, started_at: at, finished_at: at } }]
    const run = new EngineRun(definition, {
      origin: { executionId: 'x0', seq: 5, snapshot: { events: [], variables } },
    })
    run.now += 10
    expect(spansOf(run, 'b')).toEqual(['event 0-now'])
    run.event('external.go')
    expect(spansOf(run, 'b')).toEqual(['event 0-10', 'running #1 10-now'])
  })
})
