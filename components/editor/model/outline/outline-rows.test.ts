import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDraft, type Definition } from '@/components/editor/model/draft/draft'
import { createView } from '@/components/editor/model/view'
import { reorder, rename, setStart, waitFor } from './outline-actions'
import { outlineRows, rowFor, waitsFor } from './outline-rows'

const STARTED = 'event:pipeline.started'
const node = (id: string, ...after: string[]) => ({
  id,
  task: 'noop',
  startWhen: after.length === 0 ? STARTED : after.map((one) => `event:${one}.completed`).join(' && '),
})
const setup = (...nodes: ReturnType<typeof node>[]) => {
  const text = JSON.stringify({ id: 'p', nodes })
  return { draft: createDraft({ revision: 1, text }, text, () => 0), view: createView() }
}
const ids = (definition: Definition) => outlineRows(definition).map(({ id }) => id)

describe('the rows of an outline', () => {
  it('stand in the order of the list, but below what they wait for', () => {
    const rows = outlineRows({
      nodes: [node('d', 'b', 'c'), node('a'), node('b', 'a'), node('c'), node('e')],
    })
    expect(rows.map(({ id, level }) => `${id}${level}`)).toEqual(['a0', 'b1', 'c0', 'd2', 'e0'])
  })

  it('hold every node once, whatever a definition says', () => {
    const names = fc.constantFrom('a', 'b', 'c', 'd', 'constructor', '__proto__')
    const some = fc.array(fc.tuple(names, fc.array(names, { maxLength: 3 })), { maxLength: 8 })
    fc.assert(
      fc.property(some, (list) => {
        const nodes = list.map(([id, after]) => node(id, ...after))
        expect(ids({ nodes }).toSorted()).toEqual([...new Set(list.map(([id]) => id))].toSorted())
      }),
    )
    expect(ids({ nodes: 'none' })).toEqual([])
    expect(ids({ nodes: [{ id: 'a', startWhen: '&&' }, null, { id: 7 }] })).toEqual(['a'])
  })

  it('are found for chains of ten thousand', () => {
    const nodes = Array.from({ length: 10_000 }, (_, at) =>
      node(`n${at}`, ...(at < 9_999 ? [`n${at + 1}`] : [])),
    )
    expect(outlineRows({ nodes })[0]?.id).toBe('n9999')
    expect(waitsFor({ nodes }, 'n0', 'n9999')).toBe(true)
    expect(waitsFor({ nodes }, 'n9999', 'n0')).toBe(false)
  })

  it('are led to by the letters with which a name or an id begins', () => {
    const rows = outlineRows({ nodes: [{ ...node('a'), name: 'Read' }, node('b'), node('read_more')] })
    expect(rowFor(rows, 'r', 0)?.id).toBe('a')
    expect(rowFor(rows, 'r', 1)?.id).toBe('read_more')
    expect(rowFor(rows, 'REA', 2)?.id).toBe('read_more')
    expect(rowFor(rows, 'x', 0)).toBeNull()
    expect(rowFor([], 'x', 0)).toBeNull()
  })
})

describe('what the outline does', () => {
  it('moves a row by one, in one step that is undone, and never above what it waits for', () => {
    const stores = setup(node('c', 'b'), node('a'), node('b'), node('d'))
    const now = () => ids(stores.draft.getState().definition)
    expect(now()).toEqual(['b', 'c', 'a', 'd'])
    expect(reorder(stores, 'd', -1)).toEqual({ text: 'd was moved up.', refused: false })
    expect(now()).toEqual(['b', 'c', 'd', 'a'])
    expect(reorder(stores, 'c', -1)).toEqual({ text: 'c waits for b and must stay below it.', refused: true })
    expect(reorder(stores, 'b', 1).refused).toBe(true)
    expect(reorder(stores, 'b', -1).text).toBe('b is the first row.')
    expect(now()).toEqual(['b', 'c', 'd', 'a'])
    stores.draft.undo()
    expect(stores.draft.getState()).toMatchObject({ message: 'Undone: Move d up' })
    expect(now()).toEqual(['b', 'c', 'a', 'd'])
  })

  it('changes names and starts, and lets a node wait for another', () => {
    const stores = setup(node('a'), node('b'), node('c'))
    const at = (id: string) =>
      outlineRows(stores.draft.getState().definition).find((row) => row.id === id)?.fields
    rename(stores, 'b', ' Second ')
    waitFor(stores, 'b', 'a.completed')
    expect(at('b')).toMatchObject({ name: 'Second', startWhen: 'event:a.completed' })
    waitFor(stores, 'b', 'a.failed')
    expect(at('b')?.['startWhen']).toBe('event:a.completed || event:a.failed')
    setStart(stores, 'c', 'event:b.completed &&')
    expect(at('c')?.['startWhen']).toBe('event:b.completed &&')
    rename(stores, 'b', '')
    expect(at('b')).not.toHaveProperty('name')
    stores.draft.write('id: [')
    expect(rename(stores, 'b', 'x').refused).toBe(true)
  })
})
