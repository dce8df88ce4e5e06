import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { longestPath } from './critical-path'
import { adjacencyOf, ancestryOf, deriveEdges, levelsOf, type Edge } from './graph'

function edges(text: string): Edge[] {
  return text.split(' ').map((pair) => {
    const [from = '', to = ''] = pair.split('>')
    return { from, to, kind: 'event', label: `${from}.completed` }
  })
}

describe('edges', () => {
  it('[R-29] come from event atoms and variable references', () => {
    expect(
      deriveEdges([
        {
          id: 'a',
          events: ['pipeline.started'],
          variables: [{ root: 'pipeline.input', name: 'pipeline.input.x' }],
        },
        {
          id: 'b',
          events: ['a.completed', 'a.failed', 'external.x'],
          variables: [{ root: 'a', name: 'a.v' }],
        },
        { id: 'c', events: ['b.completed', 'c.failed'], variables: [{ root: 'a', name: 'a.v' }] },
      ]),
    ).toEqual([
      { from: 'a', to: 'b', kind: 'event', label: 'a.completed' },
      { from: 'a', to: 'b', kind: 'event', label: 'a.failed' },
      { from: 'b', to: 'c', kind: 'event', label: 'b.completed' },
      { from: 'a', to: 'c', kind: 'variable', label: 'a.v' },
    ])
  })
})

describe('levels', () => {
  it('[H-2] nodes that become free together share a level', () => {
    const adjacency = adjacencyOf('abcdef', edges('a>c b>c c>d a>d e>f'))
    expect(levelsOf([...'abcdef'], adjacency)).toEqual({
      levels: [['a', 'b', 'e'], ['c', 'f'], ['d']],
      cycles: [],
    })
  })

  it('[H-2] a cycle is named by its nodes in order', () => {
    const adjacency = adjacencyOf('abcde', edges('a>b b>c c>d d>b d>e'))
    const { levels, cycles } = levelsOf([...'abcde'], adjacency)
    expect(levels).toEqual([['a']])
    expect(cycles).toHaveLength(1)
    const [cycle = []] = cycles
    expect([...cycle].sort()).toEqual(['b', 'c', 'd'])
    cycle.forEach((id, i) => expect(adjacency.successors.get(id)).toContain(cycle[(i + 1) % cycle.length]))
  })

  it('[H-2] separate cycles are separate issues', () => {
    const { cycles } = levelsOf([...'abcd'], adjacencyOf('abcd', edges('a>b b>a c>d d>c')))
    expect(cycles.map((cycle) => [...cycle].sort().join(''))).toEqual(['ab', 'cd'])
  })

  it('[H-2] every edge goes from a lower to a higher level, for any graph without cycles', () => {
    fc.assert(
      fc.property(dag, ({ ids, list }) => {
        const adjacency = adjacencyOf(ids, list)
        const { levels, cycles } = levelsOf(ids, adjacency)
        expect(cycles).toEqual([])
        const level = new Map(levels.flatMap((row, i) => row.map((id) => [id, i])))
        expect(level.size).toBe(ids.length)
        for (const { from, to } of list) expect(level.get(from)).toBeLessThan(level.get(to) ?? -1)
      }),
    )
  })
})

const dag = fc.integer({ min: 1, max: 9 }).chain((n) =>
  fc.record({
    ids: fc.constant(Array.from({ length: n }, (_, i) => `n${i}`)),
    list: fc
      .array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 20 })
      .map((pairs) =>
        pairs
          .filter(([a, b]) => a < b)
          .map(([a, b]): Edge => ({ from: `n${a}`, to: `n${b}`, kind: 'event', label: `n${a}.completed` })),
      ),
    durations: fc.array(fc.integer({ min: 0, max: 20 }), { minLength: n, maxLength: n }),
  }),
)

describe('longest path', () => {
  it('[H-4] agrees with trying every path', () => {
    fc.assert(
      fc.property(dag, ({ ids, list, durations }) => {
        const adjacency = adjacencyOf(ids, list)
        const weights = new Map(ids.map((id, i) => [id, durations[i] ?? 0]))
        const found = longestPath(levelsOf(ids, adjacency).levels, adjacency, weights)
        const weight = (id: string) => weights.get(id) ?? 0
        const longest = (id: string): number =>
          weight(id) + Math.max(0, ...(adjacency.successors.get(id) ?? []).map(longest))
        expect(found.total).toBe(Math.max(...ids.map(longest)))
        expect(found.path.reduce((sum, id) => sum + weight(id), 0)).toBe(found.total)
      }),
    )
  })
})

describe('ancestry', () => {
  it('agrees with walking the graph, for any graph without cycles', () => {
    fc.assert(
      fc.property(dag, ({ ids, list }) => {
        const adjacency = adjacencyOf(ids, list)
        const waitsFor = ancestryOf(levelsOf(ids, adjacency).levels, adjacency)
        for (const id of ids) {
          const reaches = (from: string): boolean =>
            from === id || (adjacency.successors.get(from) ?? []).some(reaches)
          for (const other of ids) expect(waitsFor(id, other)).toBe(other !== id && reaches(other))
        }
      }),
    )
  })

  it('goes past the size of a word', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `n${i}`)
    const list = ids
      .slice(1)
      .map((id, i): Edge => ({ from: `n${i}`, to: id, kind: 'event', label: `n${i}.completed` }))
    const adjacency = adjacencyOf(ids, list)
    const waitsFor = ancestryOf(levelsOf(ids, adjacency).levels, adjacency)
    expect(waitsFor('n99', 'n0')).toBe(true)
    expect(waitsFor('n63', 'n64')).toBe(false)
    expect(waitsFor('n64', 'n31')).toBe(true)
    expect(waitsFor('n5', 'nobody')).toBe(false)
  })
})
