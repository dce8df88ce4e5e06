import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { criticalChain } from '@/core/engine/timeline/chain'
import { viewOf } from '@/core/engine/view/project'
import { follow, newTimeline } from '@/core/engine/timeline/timeline'
import { EngineRun, S, heavy, noop } from '@/testing/engine-run'
import { alignChains, chainSteps, compareNodes, lengthOf, sortNodes, valueChanges } from './compare-runs'

const nodes = [heavy('a', S), heavy('b', 'event:a.completed'), noop('c', 'event:b.completed')]

/** A run in which `a` and `b` take so many milliseconds; `b` may fail. */
function played(a: number, b: number, ends: 'completes' | 'fails' = 'completes', more = nodes) {
  const run = new EngineRun({ nodes: more })
  run.now += a
  run.complete('a', { result: a > 1_000 ? 'late' : 'early' })
  run.now += b
  if (ends === 'fails') run.fail('b')
  else run.complete('b', { result: 1 })
  return run
}
const view = (run: EngineRun) => viewOf(run.state, run.now)
function stepsOf(run: EngineRun) {
  const timeline = newTimeline(run.state.pipeline)
  for (const entry of run.entries) follow(timeline, entry)
  return chainSteps(criticalChain(timeline, run.now))
}

describe('two runs', () => {
  it('that went alike do not differ, though no two are equally fast', () => {
    const rows = compareNodes(view(played(500, 900)), view(played(510, 880)))
    expect(rows.map(({ id, differences, slowerMs }) => [id, differences, slowerMs])).toEqual([
      ['a', [], 10],
      ['b', [], -20],
      ['c', [], null],
    ])
  })

  it('differ in the status, the outputs and the duration of their nodes; what differs most is first', () => {
    const rows = compareNodes(view(played(500, 900)), view(played(1_500, 900, 'fails')))
    const sorted = sortNodes(rows, { by: 'difference', descending: true })
    expect(sorted.map(({ id, differences }) => [id, differences])).toEqual([
      ['b', ['status', 'outputs']],
      ['c', ['status', 'attempts']],
      ['a', ['outputs', 'duration']],
    ])
    expect(sorted[2]!.outputs).toEqual([{ path: ['result'], before: 'early', after: 'late' }])
    expect(sortNodes(rows, { by: 'change', descending: true }).map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(sortNodes(rows, { by: 'node', descending: true }).map(({ id }) => id)).toEqual(['c', 'b', 'a'])
  })

  it('of two revisions differ in nodes that only one of them has, and those have no figure to sort by', () => {
    const more = [...nodes, heavy('d', 'event:a.completed')]
    const rows = compareNodes(view(played(1, 1)), view(played(1, 1, 'completes', more)))
    const sorted = sortNodes(rows, { by: 'before', descending: false })
    expect(sorted.at(-1)).toMatchObject({ id: 'd', before: null, differences: ['presence'], slowerMs: null })
  })

  it('[R-61] a large value is the same when its content is', () => {
    const large = (artifact_id: string, digest: string) => ({ rows: { artifact_id, digest, bytes: 70_000 } })
    expect(valueChanges(large('x1.rows', 'd1'), large('x2.rows', 'd1'))).toEqual([])
    expect(valueChanges(large('x1.rows', 'd1'), large('x2.rows', 'd2')).map(({ path }) => path)).toEqual([
      ['rows', 'digest'],
    ])
  })
})

describe('two critical paths', () => {
  it('[H-4] are aligned link by link; a link of only one path has a row of its own', () => {
    const other = [heavy('a', S), heavy('x', 'event:a.completed'), heavy('b', 'event:x.completed')]
    const run = new EngineRun({ nodes: other })
    for (const [node, ms] of [
      ['a', 20],
      ['x', 30],
      ['b', 40],
    ] as const) {
      run.now += ms
      run.complete(node)
    }
    const rows = alignChains(stepsOf(played(5, 7)), stepsOf(run))
    expect(
      rows.map(({ node, before, after }) => [node, before && lengthOf(before), after && lengthOf(after)]),
    ).toEqual([
      ['a', 5, 20],
      ['x', null, 30],
      ['b', 7, 40],
    ])
  })

  it('lose nothing by being aligned, whatever they are', () => {
    const path = fc.array(
      fc.record({
        node: fc.constantFrom('a', 'b', 'c', null),
        run: fc.nat(9),
        queue: fc.nat(9),
        wait: fc.nat(9),
        gap: fc.nat(9),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(path, path, (before, after) => {
        const rows = alignChains(before, after)
        expect(rows.flatMap((row) => row.before ?? [])).toEqual(before)
        expect(rows.flatMap((row) => row.after ?? [])).toEqual(after)
        for (const row of rows)
          for (const step of [row.before, row.after]) expect(step?.node ?? row.node).toBe(row.node)
      }),
    )
  })
})
