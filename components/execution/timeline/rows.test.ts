import { describe, expect, it } from 'vitest'
import { criticalChain } from '@/core/engine/timeline/chain'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import { EngineRun, S, gate, heavy, noop } from '@/testing/engine-run'
import { barText, barsOf, chainByNode, chainParts, rowsOf } from './rows'

const timelineOf = (run: EngineRun) => {
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of run.entries) follow(timeline, entry)
  return timeline
}

describe('the rows of a timeline', () => {
  it('[R-55] are the nodes in the order of the graph; a list is unfolded into its items', () => {
    const run = new EngineRun({
      nodes: [
        noop('z', 'event:m.completed'),
        heavy('m', S, { name: 'Months', forEach: { items: [1, 2], concurrency: 1 } }),
      ],
    })
    run.now += 10
    run.complete('m/0')
    run.now += 5
    run.complete('m/1')
    const timeline = timelineOf(run)
    expect(rowsOf(timeline, new Set()).map(({ key, name, unfolded }) => [key, name, unfolded])).toEqual([
      ['m', 'Months', false],
      ['z', 'z', null],
    ])
    const rows = rowsOf(timeline, new Set(['m']))
    expect(rows.map(({ key }) => key)).toEqual(['m', 'm/0', 'm/1', 'z'])
    expect(
      barsOf(timeline, rows[0]!).map(({ title, status, from, to }) => [title, status, to! - from]),
    ).toEqual([['Items run', 'completed', 15]])
    expect(barsOf(timeline, rows[2]!).map(({ title }) => title)).toEqual(['Attempt 1, completed'])
  })

  it('describe each bar in a sentence with its instants', () => {
    const run = new EngineRun({ nodes: [gate('g')] })
    run.now += 1_500
    const row = rowsOf(timelineOf(run), new Set())[0]!
    const [open] = barsOf(timelineOf(run), row)
    expect(barText(open!, run.now)).toBe('Waits for a decision: 2026-01-01T00:00:00.000Z and goes on, 1.5 s')
    run.event('external.g.rejected')
    const [ended] = barsOf(timelineOf(run), row)
    expect(barText(ended!, run.now)).toBe(
      'Waits for a decision, rejected: 2026-01-01T00:00:00.000Z to 2026-01-01T00:00:01.500Z, 1.5 s',
    )
  })

  it('describe a failed attempt with its reason, in the colour of its end', () => {
    const run = new EngineRun({ nodes: [heavy('a')] })
    run.begin('a')
    run.now += 5
    run.fail('a')
    const timeline = timelineOf(run)
    const [bar] = barsOf(timeline, rowsOf(timeline, new Set())[0]!)
    expect(bar).toMatchObject({ kind: 'running', status: 'failed', title: 'Attempt 1, failed', error: 'no' })
  })
})

describe('the line of the critical path', () => {
  it('[H-4] shows the longest links in their order, and sums the rest: nothing is lost', () => {
    const run = new EngineRun({
      nodes: [
        heavy('a'),
        heavy('b', 'event:a.completed'),
        heavy('c', 'event:b.completed'),
        gate('g', {}, 'event:c.completed'),
      ],
    })
    for (const [node, ms] of [
      ['a', 30],
      ['b', 1],
      ['c', 20],
    ] as const) {
      run.now += ms
      run.complete(node)
    }
    run.now += 7
    const { parts, rest } = chainParts(criticalChain(timelineOf(run), run.now), (id) => id.toUpperCase(), 3)
    expect(parts.map(({ text, ms }) => [text, ms])).toEqual([
      ['A', 30],
      ['C', 20],
      ['G waits', 7],
    ])
    expect(rest).toEqual({ count: 1, ms: 1 })
  })

  it('gives each node its links, and nobody the time in which nothing ran', () => {
    const link = (node: string | null, from: number) => ({ node, kind: 'run' as const, from, to: from + 1 })
    const chain = [link('a', 0), link(null, 1), link('b', 2), link('a', 3)]
    expect([...chainByNode(chain)]).toEqual([
      ['a', [chain[0], chain[3]]],
      ['b', [chain[2]]],
    ])
  })
})

it('[R-90] draws apart what an attempt waited before its work began, and says so', () => {
  const run = new EngineRun({ nodes: [heavy('a')] })
  run.now += 2_000
  run.begin('a')
  run.now += 500
  run.complete('a')
  const timeline = timelineOf(run)
  const [row] = rowsOf(timeline, new Set())
  const bars = barsOf(timeline, row!)
  expect(bars.map(({ kind, status, from, to }) => [kind, status, to! - from])).toEqual([
    ['waiting', 'waiting', 2_000],
    ['running', 'completed', 500],
  ])
  expect(bars[0]!.title).toMatch(/^Attempt 1 waits to begin/)
})

it('[R-90] shows an attempt whose work began at once as one bar', () => {
  const run = new EngineRun({ nodes: [heavy('a')] })
  run.begin('a')
  run.now += 500
  run.complete('a')
  const timeline = timelineOf(run)
  const [row] = rowsOf(timeline, new Set())
  expect(barsOf(timeline, row!).map(({ kind }) => kind)).toEqual(['running'])
})
