import { describe, expect, it } from 'vitest'
import { toFlow } from '@/components/editor/model/flow'
import { carriedBy, movedPlaces } from './drag'
import { notesOf } from './notes'

const definition = {
  nodes: [
    { id: 'in', task: 'noop' },
    { id: 'out', task: 'noop', startWhen: 'event:in.completed && event:external.go' },
  ],
  layout: { in: { x: 20, y: 40 }, out: { x: 900, y: 40 } },
  notes: [
    { id: 'frame', x: 0, y: 0, width: 400, height: 300, text: '' },
    { id: 'small', x: 30, y: 150, width: 100, height: 60, text: '' },
  ],
}
const key = (id: string) => `note:${id}`
const carried = (...dragged: string[]) =>
  carriedBy(toFlow(definition), notesOf(definition), new Set(dragged), key)

describe('a drag', () => {
  it('of a note takes along the nodes and notes that lie wholly in it', () => {
    expect([...carried('note:frame').keys()]).toEqual(['in', 'note:small'])
    expect([...carried('note:small').keys()]).toEqual([])
  })

  it('of a node takes nothing along, and what is dragged itself is not carried', () => {
    expect(carried('in').size).toBe(0)
    expect([...carried('note:frame', 'in').keys()]).toEqual(['note:small'])
  })

  it('moves what it carries by the same distance as the note', () => {
    const moves = [{ id: 'note:frame', position: { x: 100, y: 10 } }]
    const places = movedPlaces(new Map(), moves, carried('note:frame'))
    expect(Object.fromEntries(places)).toEqual({
      'note:frame': { x: 100, y: 10 },
      in: { x: 120, y: 50 },
      'note:small': { x: 130, y: 160 },
    })
  })

  it('keeps the positions of earlier steps', () => {
    const first = movedPlaces(new Map(), [{ id: 'in', position: { x: 1, y: 1 } }], new Map())
    const second = movedPlaces(first, [{ id: 'out', position: { x: 2, y: 2 } }], new Map())
    expect([...second.keys()]).toEqual(['in', 'out'])
    expect(first.size).toBe(1)
  })
})
