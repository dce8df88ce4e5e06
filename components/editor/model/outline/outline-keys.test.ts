import { describe, expect, it } from 'vitest'
import { createOutlineKeys, OUTLINE_COLUMNS, STARTS_COLUMN, type OutlinePosition } from './outline-keys'
import { outlineRows } from './outline-rows'

const rows = outlineRows({
  nodes: ['alpha', 'beta', 'betray', 'omega'].map((id) => ({ id, task: 'noop' })),
})
const at = (active: number, more: Partial<OutlinePosition> = {}): OutlinePosition => ({
  rows,
  active,
  selected: true,
  column: 0,
  ...more,
})
const press = (key: string, more: { altKey?: boolean; command?: boolean; timeStamp?: number } = {}) => ({
  key,
  altKey: false,
  command: false,
  timeStamp: 0,
  ...more,
})

describe('the keys of the outline', () => {
  const keys = createOutlineKeys()

  it.each([
    ['ArrowDown', at(1), { kind: 'row', to: 2 }],
    ['ArrowDown', at(3), { kind: 'row', to: 3 }],
    ['ArrowDown', at(0, { selected: false }), { kind: 'row', to: 0 }],
    ['ArrowUp', at(0), { kind: 'row', to: 0 }],
    ['PageDown', at(0), { kind: 'row', to: 3 }],
    ['PageUp', at(3), { kind: 'row', to: 0 }],
    ['ArrowRight', at(0, { column: OUTLINE_COLUMNS.length - 1 }), { kind: 'column', to: 4 }],
    ['ArrowLeft', at(0, { column: 2 }), { kind: 'column', to: 1 }],
    ['Home', at(2, { column: 2 }), { kind: 'column', to: 0 }],
    ['End', at(2), { kind: 'column', to: 4 }],
  ])('%s moves within the table (%#)', (key, position, expected) => {
    expect(keys(press(key), position)).toEqual(expected)
  })

  it('Ctrl with Home and End leads to the first and the last row', () => {
    expect(keys(press('Home', { command: true }), at(2))).toEqual({ kind: 'row', to: 0 })
    expect(keys(press('End', { command: true }), at(0))).toEqual({ kind: 'row', to: 3 })
  })

  it('edits the cell that is active, and the name elsewhere', () => {
    expect(keys(press('F2'), at(0, { column: STARTS_COLUMN }))).toEqual({ kind: 'edit', field: 'startWhen' })
    expect(keys(press('F2'), at(0, { column: 2 }))).toEqual({ kind: 'edit', field: 'name' })
  })

  it('acts on the active row', () => {
    const kinds = ['Enter', ' ', 'Delete', 'Backspace', 'Insert'].map((key) => keys(press(key), at(1))?.kind)
    expect(kinds).toEqual(['open', 'wait', 'delete', 'delete', 'add'])
    expect(keys(press('ArrowUp', { altKey: true }), at(1))).toEqual({ kind: 'reorder', by: -1 })
    expect(keys(press('ArrowDown', { altKey: true }), at(1))).toEqual({ kind: 'reorder', by: 1 })
  })

  it('adds a node to an empty table, and does nothing else there', () => {
    const empty = at(-1, { rows: [], selected: false })
    expect(keys(press('Enter'), empty)).toEqual({ kind: 'add' })
    expect(['ArrowDown', 'Delete', 'b', ' '].map((key) => keys(press(key), empty))).toEqual([
      null,
      null,
      null,
      null,
    ])
  })

  it('leaves shortcuts to the editor', () => {
    expect(['n', 'o', 'P'].map((key) => keys(press(key, { timeStamp: 5_000 }), at(0)))).toEqual([
      null,
      null,
      null,
    ])
    expect(keys(press('z', { command: true }), at(0))).toBeNull()
    expect(keys(press('x', { altKey: true }), at(0))).toBeNull()
    expect(keys(press('Tab'), at(0))).toBeNull()
  })

  it('finds a row by letters that follow each other, and starts again after a pause', () => {
    const own = createOutlineKeys()
    const type = (key: string, timeStamp: number, active: number) =>
      own(press(key, { timeStamp }), at(active))
    expect(type('b', 10_000, 0)).toEqual({ kind: 'row', to: 1 })
    expect(type('e', 10_100, 1)).toEqual({ kind: 'row', to: 1 })
    expect(type('t', 10_200, 1)).toEqual({ kind: 'row', to: 1 })
    expect(type('r', 10_300, 1)).toEqual({ kind: 'row', to: 2 })
    // Within a word, O is a letter; no row begins with these.
    expect(type('o', 10_400, 2)).toEqual({ kind: 'none' })
    expect(type('b', 12_000, 1)).toEqual({ kind: 'row', to: 2 })
    expect(type('x', 14_000, 1)).toEqual({ kind: 'none' })
  })

  it('ends a word at every other key, so that a shortcut right after it counts', () => {
    const own = createOutlineKeys()
    own(press('b', { timeStamp: 10_000 }), at(0))
    own(press('Enter', { timeStamp: 10_100 }), at(1))
    expect(own(press('n', { timeStamp: 10_200 }), at(1))).toBeNull()
  })
})
