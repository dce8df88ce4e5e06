import { describe, expect, it } from 'vitest'
import { toFlow } from '@/components/editor/model/flow'
import { node, pipeline } from '@/testing/definitions'
import { around, freePlace } from '@/components/graph/model/boxes'
import { aligned, distributed } from './arrange'
import { changedNote, notesOf, within, withNote, withoutNotes } from './notes'
import { next, reach } from './navigation'

const box = (x: number, y: number, width = 100, height = 50) => ({ x, y, width, height })

describe('where things stand', () => {
  it('a box is around all, and around nothing there is none', () => {
    expect(around([box(0, 0), box(300, 100)])).toEqual(box(0, 0, 400, 150))
    expect(around([])).toBeNull()
  })

  it('aligns edges and middles, and makes gaps equal', () => {
    const boxes = new Map([
      ['a', box(0, 0)],
      ['b', box(50, 200, 200)],
      ['c', box(410, 90)],
    ])
    expect(Object.fromEntries(aligned(boxes, 'right'))).toEqual({
      a: { x: 410, y: 0 },
      b: { x: 310, y: 200 },
      c: { x: 410, y: 90 },
    })
    expect(aligned(boxes, 'middle').get('c')).toEqual({ x: 410, y: 100 })
    expect(Object.fromEntries(distributed(boxes, 'x'))).toEqual({
      a: { x: 0, y: 0 },
      b: { x: 155, y: 200 },
      c: { x: 410, y: 90 },
    })
    expect(distributed(new Map([...boxes].slice(1)), 'y').size).toBe(0)
  })

  it('finds a place that overlaps nothing', () => {
    expect(freePlace(box(0, 0), [box(500, 0)])).toEqual({ x: 0, y: 0 })
    expect(freePlace(box(0, 0), [box(20, 90), box(-20, 10)])).toEqual({ x: 0, y: 172 })
  })
})

describe('notes', () => {
  const before = pipeline([], {
    notes: ['text', { id: 'n', x: 0, y: 0 }, { id: 'n', text: 'second', x: 9, y: 9 }],
  })

  it('are drawn where they can be, and changed without losing what else stands there', () => {
    expect(notesOf(before)).toEqual([{ id: 'n', text: '', ...box(0, 0, 224, 128), color: 'sand' }])
    const added = withNote(before, { x: 1.6, y: 2 }, { width: 100, height: 60 }, 'Hi')
    expect(notesOf(added)[1]).toMatchObject({ id: 'note_1', text: 'Hi', x: 2, width: 100 })
    expect(changedNote(added, 'note_1', { x: 5.4 })['notes']).toMatchObject(['text', {}, {}, { x: 5 }])
    expect(changedNote(added, 'none', { x: 5 })).toBe(added)
    expect(changedNote(added, 'note_1', { x: 2 })).toBe(added)
    expect(withoutNotes(added, new Set(['n']))['notes']).toMatchObject(['text', { id: 'note_1' }])
    expect(withoutNotes(pipeline([], { notes: [{ id: 'n', x: 0, y: 0 }] }), new Set(['n']))).toEqual(
      pipeline([]),
    )
  })

  it('hold what stands wholly in them', () => {
    expect(within(box(10, 10), box(0, 0, 200, 200))).toBe(true)
    expect(within(box(150, 10), box(0, 0, 200, 200))).toBe(false)
  })
})

describe('walking', () => {
  const flow = toFlow(
    pipeline([
      node('a'),
      node('b', 'event:a.completed'),
      node('c', 'event:a.failed'),
      node('d', 'event:c.completed'),
    ]),
  )
  const boxes = new Map([
    ['a', box(0, 0)],
    ['b', box(300, 0)],
    ['c', box(300, 100)],
    ['d', box(600, 100)],
  ])

  it('goes along edges, and up and down', () => {
    expect(next(flow, boxes, null, 'right')).toBe('a')
    expect(next(flow, boxes, 'a', 'right')).toBe('b')
    expect(next(flow, boxes, 'b', 'down')).toBe('c')
    expect(next(flow, boxes, 'c', 'up')).toBe('b')
    expect(next(flow, boxes, 'd', 'left')).toBe('c')
    expect(next(flow, boxes, 'd', 'right')).toBeNull()
  })

  it('takes all that comes before or after', () => {
    expect(reach(flow, new Set(['c']), 'right')).toEqual(new Set(['c', 'd']))
    expect(reach(flow, new Set(['d', 'b']), 'left')).toEqual(new Set(['a', 'b', 'c', 'd']))
  })
})
