import { describe, expect, it } from 'vitest'
import type { NodeStatus } from '@/core/engine/view/view'
import { BARE, type Drawing, type DrawnEdge, type DrawnNode } from './drawing'
import { countsText, fold, groupId } from './fold'
import { layOut } from '@/components/graph/layered-layout'
import { besideOpen, openingsOf, sizeOf, withOpen, withoutOpen } from './layout'

const node = (id: string, task = 'noop', status: NodeStatus | null = null): DrawnNode => ({
  ...BARE,
  id,
  kind: 'task',
  name: id,
  task,
  outcomes: ['completed'],
  status,
})
const edge = (from: string, to: string, more: Partial<DrawnEdge> = {}): DrawnEdge => ({
  id: `${from}>${to}`,
  from,
  to,
  outcome: 'completed',
  port: 'completed',
  label: null,
  critical: false,
  state: 'open',
  flowing: false,
  ...more,
})
const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

/** One node, many that wait for it, and one that waits for all of those. */
const fan = (count: number, statusOf: (at: number) => NodeStatus | null = () => null): Drawing => ({
  nodes: [
    node('split', 'shell'),
    ...times(count, (at) => node(`n${at}`, 'set', statusOf(at))),
    node('join', 'shell'),
  ],
  edges: [...times(count, (at) => edge('split', `n${at}`)), ...times(count, (at) => edge(`n${at}`, 'join'))],
})

describe('nodes that are alike', () => {
  it.each([104, 800, 1_890])(
    'are one card that counts them: %i siblings with the same parents and children',
    (count) => {
      const { nodes, edges } = fold(fan(count))
      expect(nodes.map(({ id, name }) => [id, name])).toEqual([
        ['split', 'split'],
        [groupId('n0'), `${count} tasks`],
        ['join', 'join'],
      ])
      expect(edges.map(({ from, to, ids }) => [from, to, ids?.length])).toEqual([
        ['split', groupId('n0'), count],
        [groupId('n0'), 'join', count],
      ])
    },
  )

  it('are so too where each has a parent and a child of its own that are alike: lanes, and a mosaic of pairs', () => {
    const lanes: Drawing = {
      nodes: [
        ...times(50, (at) => node(`a${at}`, 'set')),
        ...times(50, (at) => node(`b${at}`, 'shell')),
        ...times(49, (at) => node(`c${at}`, 'log')),
        node('end'),
      ],
      edges: [
        ...times(50, (at) => edge(`a${at}`, `b${at}`)),
        ...times(49, (at) => edge(`b${at}`, `c${at}`)),
        ...times(49, (at) => edge(`b${at + 1}`, `c${at}`)),
        ...times(49, (at) => edge(`c${at}`, 'end')),
      ],
    }
    expect(fold(lanes).nodes.map(({ name }) => name)).toEqual(['50 tasks', '50 tasks', '49 tasks', 'end'])
  })

  it('may each have a condition of its own, which the line between the cards does not say', () => {
    const drawing = fan(40)
    const edges = drawing.edges.map((one, at) => (at < 40 ? { ...one, label: `if x > ${at}` } : one))
    expect(fold({ ...drawing, edges }).edges.map(({ label }) => label)).toEqual(['if …', null])
  })

  it('are few cards of their own, and others are never counted with them', () => {
    expect(fold(fan(25)).nodes).toHaveLength(27)
    const drawing = fan(40)
    const other = {
      ...drawing,
      nodes: drawing.nodes.map((one) => (one.id === 'n7' ? { ...one, task: 'shell' } : one)),
    }
    expect(fold(other).nodes.map(({ name }) => name)).toEqual(['split', '39 tasks', 'n7', 'join'])
    const failing = {
      ...drawing,
      edges: [...drawing.edges, edge('n3', 'alert', { port: 'failed', label: 'failed' })],
    }
    const { nodes } = fold({ ...failing, nodes: [...drawing.nodes, node('alert')] })
    expect(nodes.map(({ name }) => name)).toEqual(['split', '39 tasks', 'n3', 'join', 'alert'])
  })

  it('are counted by their states, and the critical path through them stays one', () => {
    const drawing = fan(104, (at) => (at < 3 ? 'failed' : at < 83 ? 'completed' : 'pending'))
    const critical = {
      nodes: drawing.nodes,
      edges: drawing.edges.map((one) =>
        one.from === 'n50' || one.to === 'n50' ? { ...one, critical: true, state: 'taken' as const } : one,
      ),
    }
    const { nodes, edges } = fold(critical)
    expect(nodes[1]).toMatchObject({ status: 'failed' })
    expect(countsText(nodes[1]!.group!)).toBe('80 completed, 3 failed, 21 pending')
    expect(edges).toMatchObject([
      { critical: true, state: 'taken' },
      { critical: true, state: 'taken' },
    ])
    const done = fold(fan(40, () => 'completed'))
    expect(done.nodes[1]).toMatchObject({ status: 'completed' })
    expect(fold(fan(40, (at) => (at < 9 ? 'completed' : 'pending'))).nodes[1]).toMatchObject({
      status: 'running',
    })
  })

  it('are the same objects as long as nothing of them changes', () => {
    const before = fold(fan(104, () => 'pending'))
    const after = fold(
      fan(104, () => 'pending'),
      {},
      before,
    )
    expect(after.nodes).toBe(before.nodes)
    expect(after.edges).toBe(before.edges)
    const changed = fold(
      fan(104, (at) => (at === 5 ? 'running' : 'pending')),
      {},
      before,
    )
    expect(changed.nodes.map((one, at) => one === before.nodes[at])).toEqual([true, false, true])
    expect(changed.edges).toBe(before.edges)
  })
})

describe('an open group', () => {
  const drawing = fan(104)
  const opened = new Set([groupId('n0')])

  it('shows its nodes and only those edges of theirs that are asked for', () => {
    const { nodes, edges } = fold(drawing, { opened, traced: new Set(['n7', 'join']) })
    expect(nodes).toHaveLength(107)
    expect(edges.map(({ id }) => id).slice(2)).toEqual(['split>n7', 'n7>join'])
  })

  it.each(['right', 'down'] as const)(
    'makes room for its frame, and for nothing else (%s)',
    async (direction) => {
      const closed = await layOut(fold(drawing), direction)
      const open = fold(drawing, { opened })
      const layout = withOpen(open, closed, direction)
      const boxes = open.nodes
        .filter(({ group }) => group === undefined)
        .map((one) => ({ ...layout.get(one.id)!, ...sizeOf(one, direction) }))
      for (const [at, one] of boxes.entries())
        for (const two of boxes.slice(at + 1))
          expect(
            one.x + one.width <= two.x ||
              two.x + two.width <= one.x ||
              one.y + one.height <= two.y ||
              two.y + two.height <= one.y,
          ).toBe(true)
      expect(layout.get('split')).toEqual(closed.get('split'))
      expect(withOpen(open, closed, direction)).toBe(layout)
      expect(withOpen(fold(drawing), closed, direction)).toBe(closed)
      // What is dropped is stored where it is when the group is closed.
      const openings = openingsOf(open, closed, direction)
      for (const id of ['split', 'join'])
        expect(withoutOpen(openings, besideOpen(openings, closed.get(id)!, direction), direction)).toEqual(
          closed.get(id),
        )
    },
  )
})
