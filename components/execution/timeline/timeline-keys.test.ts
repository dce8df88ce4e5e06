import { describe, expect, it } from 'vitest'
import type { Row } from './rows'
import { commandOf, type Position } from './timeline-keys'

const row = (key: string, rest: Partial<Row> = {}): Row => ({
  key,
  node: key.split('/')[0]!,
  item: null,
  name: key,
  unfolded: null,
  items: 0,
  ...rest,
})
const rows = [
  row('a'),
  row('list', { unfolded: true, items: 2 }),
  row('list/0', { item: 0 }),
  row('list/1', { item: 1 }),
  row('folded', { unfolded: false, items: 3 }),
]
const at = (active: number, cell = 0): Position => ({ rows, active, cell, cells: 2, page: 3 })
const press = (key: string, position: Position, shiftKey = false) => commandOf({ key, shiftKey }, position)
const focus = (to: number, cell = 0) => ({ do: 'focus', row: to, cell })

describe('the keys of the timeline', () => {
  it('go from row to row, by pages and to the ends', () => {
    expect(press('ArrowDown', at(1, 2))).toEqual(focus(2, 2))
    expect(press('ArrowUp', at(1, 2))).toEqual(focus(0, 2))
    expect(press('PageDown', at(1))).toEqual(focus(4))
    expect(press('PageUp', at(4))).toEqual(focus(1))
    expect(press('Home', at(3, 1))).toEqual(focus(0))
    expect(press('End', at(0))).toEqual(focus(4))
  })

  it('go from bar to bar and stop at the last', () => {
    expect(press('ArrowRight', at(0, 0))).toEqual(focus(0, 1))
    expect(press('ArrowRight', at(0, 2))).toEqual({ do: 'nothing' })
    expect(press('ArrowLeft', at(0, 2))).toEqual(focus(0, 1))
    expect(press('ArrowLeft', at(0, 0))).toEqual({ do: 'nothing' })
  })

  it('unfold and fold items from the name, and go from an item to its list', () => {
    expect(press('ArrowRight', at(4))).toEqual({ do: 'toggle', node: 'folded' })
    expect(press('ArrowRight', at(4, 1))).toEqual(focus(4, 2))
    expect(press('ArrowLeft', at(1))).toEqual({ do: 'toggle', node: 'list' })
    expect(press('ArrowLeft', at(3))).toEqual(focus(1))
  })

  it('pan with Shift, zoom, fit, open and leave', () => {
    expect(press('ArrowRight', at(0), true)).toEqual({ do: 'pan', pixels: 120 })
    expect(press('ArrowLeft', at(0), true)).toEqual({ do: 'pan', pixels: -120 })
    expect(press('+', at(0))).toEqual(press('=', at(0)))
    expect(press('-', at(0))).toEqual({ do: 'zoom', factor: 1.5 })
    expect(press('1', at(0))).toEqual({ do: 'fit' })
    expect(press('Enter', at(0))).toEqual({ do: 'open' })
    expect(press('Escape', at(0))).toEqual({ do: 'leave' })
  })

  it('leave other keys alone, and every key while there are no rows', () => {
    expect(press('x', at(0))).toBeNull()
    expect(press('Enter', { ...at(0), rows: [] })).toBeNull()
  })
})
