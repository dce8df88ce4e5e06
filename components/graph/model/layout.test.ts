import { describe, expect, it } from 'vitest'
import { BARE, type Drawing, type DrawnEdge, type DrawnNode } from './drawing'
import { LABEL_HEIGHT } from './edge-label'
import { layOut } from '@/components/graph/layered-layout'
import { quickLayout, sizeOf, storedLayout } from './layout'

const node = (id: string, kind: 'task' | 'signal' = 'task', last = false): DrawnNode => ({
  ...BARE,
  id,
  kind,
  name: id,
  task: 'noop',
  outcomes: [],
  finally: last,
})
const edge = (from: string, to: string): DrawnEdge => ({
  id: `${from}>${to}`,
  from,
  to,
  outcome: 'completed',
  port: 'completed',
  label: null,
  critical: false,
  state: 'open',
  flowing: false,
})
const diamond: Drawing = {
  nodes: [node('a'), node('b'), node('c'), node('d'), node('clean', 'task', true)],
  edges: [edge('a', 'b'), edge('a', 'c'), edge('b', 'd'), edge('c', 'd')],
}

function overlaps(drawing: Drawing, layout: ReadonlyMap<string, { x: number; y: number }>): string[] {
  const boxes = drawing.nodes.map((each) => ({ id: each.id, ...layout.get(each.id)!, ...sizeOf(each) }))
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        (two) =>
          one.x < two.x + two.width &&
          two.x < one.x + one.width &&
          one.y < two.y + two.height &&
          two.y < one.y + one.height,
      )
      .map((two) => `${one.id} ${two.id}`),
  )
}

describe.each(['right', 'down'] as const)('a layout to the %s', (direction) => {
  const axis = direction === 'right' ? 'x' : 'y'

  it('of layers puts every node after what it waits for, and finally nodes last, without overlaps', async () => {
    const layout = await layOut(diamond, direction)
    for (const { from, to } of diamond.edges)
      expect(layout.get(to)![axis]).toBeGreaterThan(layout.get(from)![axis])
    expect(layout.get('clean')![axis]).toBeGreaterThan(layout.get('d')![axis])
    expect(overlaps(diamond, layout)).toEqual([])
  })

  it('made quickly does so too, and survives a cycle', () => {
    const layout = quickLayout(diamond, direction)
    for (const { from, to } of diamond.edges)
      expect(layout.get(to)![axis]).toBeGreaterThan(layout.get(from)![axis])
    expect(overlaps(diamond, layout)).toEqual([])
    const cycle: Drawing = { nodes: [node('a'), node('b')], edges: [edge('a', 'b'), edge('b', 'a')] }
    expect(quickLayout(cycle, direction).size).toBe(2)
  })
})

it('a graph of 2,000 nodes is laid out without the layered algorithm, every node once and without overlaps in its column', async () => {
  const large: Drawing = {
    nodes: Array.from({ length: 2_000 }, (_, index) => node(`n${index}`)),
    edges: Array.from({ length: 1_999 }, (_, index) => edge(`n${Math.floor(index / 3)}`, `n${index + 1}`)),
  }
  const layout = await layOut(large, 'right')
  expect([...layout]).toEqual([...quickLayout(large, 'right')])
  expect(new Set([...layout.values()].map(({ x, y }) => `${x} ${y}`)).size).toBe(2_000)
})

it.each([
  ['right', 104, 1.2, 5],
  ['down', 104, 0, 0.1],
] as const)(
  'a level of many different nodes is wrapped, not one line (%s)',
  async (direction, count, least, most) => {
    const wide: Drawing = {
      nodes: [node('first'), ...Array.from({ length: count }, (_, at) => node(`n${at}`))],
      edges: Array.from({ length: count }, (_, at) => edge('first', `n${at}`)),
    }
    const layout = await layOut(wide, direction)
    expect(overlaps(wide, layout)).toEqual([])
    const [x, y] = (['x', 'y'] as const).map((axis) => {
      const all = [...layout.values()].map((at) => at[axis])
      return Math.max(...all) - Math.min(...all)
    })
    expect(x! / y!).toBeGreaterThan(least)
    expect(x! / y!).toBeLessThan(most)
  },
)

it('downwards there is room for the labels of edges above the cards to which they lead', () => {
  const gap = (label: string | null) => {
    const drawing = { ...diamond, edges: diamond.edges.map((one) => ({ ...one, label })) }
    const layout = quickLayout(drawing, 'down')
    return layout.get('b')!.y - layout.get('a')!.y
  }
  expect(gap('if a.rows > 0') - gap(null)).toBeGreaterThanOrEqual(LABEL_HEIGHT)
})

describe('stored positions', () => {
  it('are taken when they cover every node; signals stand above the gap before who listens', () => {
    const drawing: Drawing = {
      nodes: [node('external.go', 'signal'), node('a')],
      edges: [edge('external.go', 'a')],
    }
    const layout = storedLayout(drawing, { a: { x: 300, y: 40 } })
    expect(layout?.get('a')).toEqual({ x: 300, y: 40 })
    const signal = layout?.get('external.go')
    expect(signal?.x).toBeLessThan(300)
    // 36 high, clear of the row of cards
    expect((signal?.y ?? 0) + 36).toBeLessThan(40)
  })

  it('give a node without one a free place behind what it waits for; where most have none, none is taken', () => {
    const some = { a: { x: 0, y: 0 }, b: { x: 300, y: 0 }, c: { x: 300, y: 120 } }
    const layout = storedLayout(diamond, some)!
    expect(Object.fromEntries(layout)).toMatchObject({ ...some, d: { x: 588, y: 0 } })
    expect(overlaps(diamond, layout)).toEqual([])
    expect(storedLayout(diamond, { a: { x: 0, y: 0 } })).toBeNull()
    const hostile: Drawing = { nodes: [node('constructor')], edges: [] }
    expect(storedLayout(hostile, {})).toBeNull()
    expect(storedLayout(diamond, undefined)).toBeNull()
  })
})
