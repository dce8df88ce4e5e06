import { Position } from '@xyflow/react'
import { describe, expect, it } from 'vitest'
import { inBlocks, strokesOf } from './blocks'
import { createTrace, type Ends, type Line } from './distant-edges'

const node = (id: string, x: number, y: number): Ends => ({
  id,
  position: { x, y },
  handles: [
    { type: 'target', id: null, position: Position.Left, x: -3, y: 17, width: 6, height: 6 },
    { type: 'source', id: 'completed', position: Position.Right, x: 97, y: 17, width: 6, height: 6 },
  ],
})
const edge = (source: string, target: string, className = ''): Line => ({
  id: `${source}>${target}`,
  source,
  target,
  sourceHandle: 'completed',
  className,
})

describe('edges that are seen from far', () => {
  const nodes = Array.from({ length: 200 }, (_, at) => node(`n${at}`, at * 200, 0))
  const edges = nodes.slice(1).map((to, at) => edge(`n${at}`, to.id))

  it('lead from handle to handle', () => {
    const [line] = createTrace()([node('a', 0, 0), node('b', 300, 0)], [edge('a', 'b', 'taken')])
    expect(line?.look).toBe('taken')
    expect(line?.path).toBe('M100 20L300 20')
  })

  it('are nothing where an end of theirs is not there', () => {
    expect(createTrace()([node('a', 0, 0)], [edge('a', 'b')])).toEqual([{ look: '', path: '' }])
    expect(
      createTrace()([node('a', 0, 0), node('b', 9, 9)], [{ ...edge('a', 'b'), sourceHandle: 'gone' }]),
    ).toEqual([{ look: '', path: '' }])
  })

  it('cost what moved: all other lines, and all other blocks of them, are the same objects', () => {
    const trace = createTrace()
    const draw = inBlocks(strokesOf)
    const before = trace(nodes, edges)
    const blocks = draw(before)
    const moved = nodes.map((one) => (one.id === 'n70' ? node('n70', 14_000, 90) : one))
    const after = trace(moved, edges)
    expect(after.flatMap((line, at) => (line === before[at] ? [] : [at]))).toEqual([69, 70])
    const drawn = draw(after)
    expect(drawn.map((block, at) => block === blocks[at])).toEqual([true, false, true, true])
    expect(drawn.map(([stroke]) => stroke?.path.match(/M/g)?.length)).toEqual([64, 64, 64, 7])
  })

  it('are left to whoever lifts one of their ends', () => {
    const trace = createTrace()
    const before = trace(nodes, edges)
    const dragged = trace(nodes, edges, new Set(['n0', 'n9']))
    expect(dragged.flatMap(({ path }, at) => (path === '' ? [at] : []))).toEqual([0, 8, 9])
    expect(trace(nodes, edges)).toEqual(before)
  })

  it('are one path for each look in a block', () => {
    const members = ['', 'taken', '', 'dead'].map((look, at) => ({ look, path: `M${at}` }))
    expect(strokesOf(members)).toEqual([
      { look: '', path: 'M0M2' },
      { look: 'taken', path: 'M1' },
      { look: 'dead', path: 'M3' },
    ])
  })
})
