import { describe, expect, it } from 'vitest'
import { stringifyYaml } from '@/core/pipeline/yaml/yaml'
import { node, pipeline, S } from '@/testing/definitions'
import {
  add,
  editGate,
  idFromName,
  removeSelected,
  rename,
  renameId,
  select,
  selectAll,
  switchJoin,
  walk,
} from './actions'
import { align, insert, layOutAll, nudge, place } from './canvas/arrange-actions'
import { copySelected, duplicate, paste } from './canvas/clipboard-actions'
import { boxesOf, placesOf } from './canvas/flow-drawing'
import { createDraft, type Definition } from './draft/draft'
import { gateOf, nodesOf, toFlow } from './flow'
import { addNote, changeNote, frame } from './canvas/note-actions'
import { notesOf } from './canvas/notes'
import { createView } from './view'

const chain = pipeline(
  [node('a'), node('b', 'event:a.completed'), node('c', 'event:b.completed'), node('d')],
  {
    layout: { a: { x: 0, y: 0 }, b: { x: 288, y: 0 }, c: { x: 576, y: 0 }, d: { x: 0, y: 200 } },
  },
)

function open(definition: object = chain) {
  const text = stringifyYaml(definition)
  const stores = { draft: createDraft({ revision: 1, text }, text, () => 0), view: createView() }
  const now = () => stores.draft.getState().definition
  return {
    stores,
    now,
    gates: () => Object.fromEntries(nodesOf(now()).map((one) => [one.id, gateOf(one)])),
    at: (id: string) => toFlow(now()).nodes.find((one) => one.id === id)?.position,
    steps: () => stores.draft.getState().history.past.length,
  }
}
/** Cards and notes that lie on each other. */
function overlaps(definition: Definition): string[] {
  const places = boxesOf(toFlow(definition))
  const cards = nodesOf(definition).map(({ id }) => [id, places.get(id)!] as const)
  const boxes = [...cards, ...notesOf(definition).map((note) => [note.id, note] as const)]
  return boxes.flatMap(([a, one], index) =>
    boxes.slice(index + 1).flatMap(([b, other]) => {
      const [left, right] = one.x < other.x ? [one, other] : [other, one]
      const [upper, lower] = one.y < other.y ? [one, other] : [other, one]
      return right.x < left.x + left.width && lower.y < upper.y + upper.height ? [`${a} ${b}`] : []
    }),
  )
}
const nodes = (...ids: string[]) => ({ nodes: new Set(ids) })

describe('what is done in the editor', () => {
  it('a node comes behind the selected one where it overlaps nothing, or into an edge, where room is made', () => {
    const { stores, gates, at, steps } = open()
    select(stores, nodes('a'))
    expect(add(stores, { kind: 'task', task: 'log' })).toBeNull()
    expect(gates()['log']).toBe('event:a.completed')
    expect(at('log')).toEqual({ x: 288, y: 104 })
    expect(stores.view.getState().selection.nodes).toEqual(new Set(['log']))
    expect(
      add(stores, { kind: 'task', task: 'set' }, { at: { x: 0, y: 0 }, into: 'a.completed>b' }),
    ).toBeNull()
    expect(gates()).toMatchObject({ set: 'event:a.completed', b: 'event:set.completed' })
    expect([at('set'), at('b'), at('c'), at('log')]).toEqual([
      { x: 288, y: 0 },
      { x: 576, y: 0 },
      { x: 864, y: 0 },
      { x: 288, y: 104 },
    ])
    expect(steps()).toBe(2)
  })

  it('a node that was just added gets its id by its name, until another one is selected', () => {
    const { stores, gates } = open()
    select(stores, nodes('a'))
    add(stores, { kind: 'task', task: 'log' })
    rename(stores, 'log', 'Say: done!')
    idFromName(stores, 'log')
    expect(gates()['say_done']).toBe('event:a.completed')
    expect(stores.view.getState().selection.nodes).toEqual(new Set(['say_done']))
    rename(stores, 'say_done', 'Say more')
    idFromName(stores, 'say_done')
    expect(Object.keys(gates())).toContain('say_done')

    // An id that its author has written stays.
    add(stores, { kind: 'task', task: 'noop' })
    expect(renameId(stores, 'noop', 'mine')).toBeNull()
    rename(stores, 'mine', 'Nothing')
    idFromName(stores, 'mine')
    expect(Object.keys(gates())).toContain('mine')
    select(stores, nodes('say_done'))

    add(stores, { kind: 'task', task: 'set' })
    rename(stores, 'set', 'a')
    idFromName(stores, 'set')
    expect(gates()['a_2']).toBe('event:say_done.completed')
    add(stores, { kind: 'task', task: 'set' })
    rename(stores, 'set', '数える')
    idFromName(stores, 'set')
    expect(Object.keys(gates())).toContain('set')
  })

  it('an approval goes on where it was approved; a wait names its event; a pipeline is run', () => {
    const { stores, gates, now } = open()
    add(stores, { kind: 'task', task: 'approval' }, { into: 'a.completed>b' })
    expect(gates()['b']).toBe('event:approval.approved')
    add(stores, { kind: 'event', event: 'data_ready' }, { after: 'b.failed', at: { x: 0, y: 0 } })
    expect(gates()['wait_data_ready']).toBe('event:b.failed && event:external.data_ready')
    add(stores, { kind: 'pipeline', pipeline: 'other' }, { before: 'd', at: { x: 0, y: 0 } })
    expect(gates()['d']).toBe('event:other.completed')
    expect(nodesOf(now()).at(-1)).toMatchObject({ id: 'other', pipeline: 'other' })
  })

  it('a node that is there goes into an edge', () => {
    const { stores, gates, at } = open()
    const edge = toFlow(stores.draft.getState().definition).edges[1]!
    expect(insert(stores, 'd', edge, { x: 1, y: 1 })).toBeNull()
    expect(gates()).toMatchObject({ d: 'event:b.completed', c: 'event:d.completed', a: S })
    expect([at('d'), at('c')]).toEqual([
      { x: 576, y: 0 },
      { x: 864, y: 0 },
    ])
  })

  it('copies, duplicates and pastes in one step each, beside what is there, and refuses garbage', () => {
    const { stores, gates, at, now, steps } = open()
    select(stores, nodes('a', 'b'))
    const text = copySelected(stores)!
    duplicate(stores)
    expect(gates()).toMatchObject({ a_2: S, b_2: 'event:a_2.completed' })
    expect(at('a_2')).toMatchObject({ x: 32 })
    paste(stores, text)
    paste(stores, text)
    expect(overlaps(now())).toEqual([])
    expect(steps()).toBe(3)
    expect(paste(stores, 'garbage')).toMatch(/no nodes/)
    expect(steps()).toBe(3)
    removeSelected(stores)
    expect(gates()).not.toHaveProperty('a_4')
  })

  it('what is pasted lies on nothing, whether what is there has positions or not', () => {
    const loose = pipeline([
      node('a'),
      node('b', 'event:a.completed && event:external.go'),
      node('c', 'event:a.completed || event:external.stop'),
    ])
    for (const definition of [chain, loose]) {
      const { stores, now, at } = open({ ...definition, notes: [{ id: 'n', text: 'hi', x: 0, y: 700 }] })
      const shown = placesOf(toFlow(now()))
      selectAll(stores)
      const text = copySelected(stores)!
      for (let times = 0; times < 3; times += 1) {
        paste(stores, text)
        duplicate(stores)
      }
      expect(overlaps(now())).toEqual([])
      for (const id of ['a', 'b', 'c']) expect(at(id)).toEqual(shown.get(id))
      expect(nodesOf(now()).length).toBeGreaterThan(20)
    }
  })

  it('notes come, are written, frame what is selected and go', () => {
    const { stores, now } = open()
    addNote(stores)
    expect(stores.view.getState().typing).toEqual({ kind: 'note', id: 'note_1' })
    changeNote(stores, 'note_1', { text: 'Hi' }, 'Write')
    expect(notesOf(now())[0]).toMatchObject({ text: 'Hi', x: 0, y: 0 })
    select(stores, nodes('a', 'b'))
    frame(stores)
    expect(notesOf(now())[1]).toMatchObject({ x: -24, y: -40, width: 560, height: 136 })
    removeSelected(stores)
    expect(notesOf(now())).toHaveLength(1)
  })

  it('moves by presses that are one step, aligns, and lays out around the same corner', async () => {
    const { stores, at, steps } = open()
    select(stores, nodes('b', 'd'))
    nudge(stores, { x: 8, y: 0 })
    nudge(stores, { x: 8, y: 0 })
    expect([at('b'), at('d'), steps()]).toEqual([{ x: 304, y: 0 }, { x: 16, y: 200 }, 1])
    align(stores, 'left')
    expect(at('b')?.x).toBe(16)
    place(stores, new Map([['a', { x: 100, y: 100 }]]))
    const all = new Map(['a', 'b', 'c', 'd'].map((id, index) => [id, { x: 500 + index * 300, y: 700 }]))
    expect(await layOutAll(stores, () => Promise.resolve(all))).toBeNull()
    expect([at('a'), at('d')]).toEqual([
      { x: 16, y: 0 },
      { x: 916, y: 0 },
    ])
  })

  it('switches how events are joined, names nodes, walks, and refuses while the code cannot be read', () => {
    const { stores, gates, now } = open(
      pipeline([node('a'), node('b'), node('c', 'event:a.completed && event:b.completed')]),
    )
    switchJoin(stores, 'c')
    expect(gates()['c']).toBe('event:a.completed || event:b.completed')
    switchJoin(stores, 'c')
    expect(gates()['c']).toBe('event:a.completed && event:b.completed')
    expect(editGate(stores, 'c', 'Break', () => ({ ok: false, error: { message: 'no' } }))).toContain(
      'start condition of c was not changed',
    )
    rename(stores, 'a', '  First  ')
    expect(nodesOf(now())[0]).toMatchObject({ name: 'First' })
    select(stores, nodes('a'))
    walk(stores, 'right')
    expect([...stores.view.getState().selection.nodes]).toEqual(['c'])
    selectAll(stores)
    expect(stores.view.getState().selection.nodes.size).toBe(3)
    stores.draft.write('nodes: [')
    expect(removeSelected(stores)).toBe('Fix the code first, or undo.')
    expect(switchJoin(stores, 'c')).toBe('Fix the code first, or undo.')
  })
})
