import { describe, expect, it } from 'vitest'
import type { Definition } from '@/components/editor/model/draft/draft'
import { nodesOf, type NodeFields } from '@/components/editor/model/flow'
import { pipeline } from '@/testing/definitions'
import { changesOf, coneOf, readsOf } from './cone'

const set = (id: string, startWhen: string, value: string, more: object = {}) => ({
  id,
  task: 'set',
  startWhen,
  inputBindings: { v: value },
  ...more,
})
const chain: Definition = {
  ...pipeline([
    set('a', 'event:pipeline.started', '{{ pipeline.input.x }}'),
    set('b', 'event:a.completed', '1'),
    set('c', 'event:b.completed && {{ b.v == "1" }}', '{{ d.v }}'),
    set('d', 'event:pipeline.started', '2'),
    set('aside', 'event:c.completed', '{{ c.v }}'),
  ]),
  inputs: { x: { type: 'string' }, y: { type: 'string' } },
}
const changed = (id: string, more: object): Definition => ({
  ...chain,
  nodes: nodesOf(chain).map((node) => (node.id === id ? { ...node, ...more } : node)),
})
const cone = (definition: Definition) => coneOf(definition, 'c')
const stale = (definition: Definition) => changesOf(cone(chain), cone(definition), 'c')

describe('the cone of a node', () => {
  it('holds the node and all that it reads or waits for, and nothing else', () => {
    expect([...cone(chain).keys()].toSorted()).toEqual(['a', 'b', 'c', 'd', 'pipeline.input.x'])
    expect(readsOf(nodesOf(chain)[2] as NodeFields)).toEqual({ nodes: ['b', 'd'], inputs: [] })
  })

  it('changes with itself, with what it waits for through others, with what it reads, and with the inputs read there', () => {
    expect(stale(changed('c', { inputBindings: { v: 'x' } }))).toEqual(['c', 'd'])
    expect(stale(changed('a', { task: 'noop' }))).toEqual(['a'])
    expect(stale(changed('d', { inputBindings: { v: '3' } }))).toEqual(['d'])
    expect(stale({ ...chain, inputs: { x: { type: 'number' } } })).toEqual(['pipeline.input.x'])
    expect(stale({ ...chain, nodes: nodesOf(chain).filter(({ id }) => id !== 'd') })).toEqual(['d'])
    expect(stale(changed('b', { startWhen: 'event:a.failed' }))).toEqual(['b'])
    // What came in because of a change is not told beside it, and alone when it was named before it was there.
    expect(stale(changed('b', { startWhen: 'event:a.completed && event:new.completed' }))).toEqual(['b'])
    const named = changed('b', { startWhen: 'event:new.completed' })
    const there = { ...named, nodes: [...nodesOf(named), { id: 'new', task: 'noop' }] }
    expect(changesOf(cone(named), cone(there), 'c')).toEqual(['new'])
  })

  it('does not change with what makes no value: words, places, order of keys, spelling of a gate, nodes aside', () => {
    expect(stale(chain)).toEqual([])
    expect(stale(changed('b', { name: 'B', description: 'Bee', phase: 'p', estimate: '1h' }))).toEqual([])
    expect(stale(changed('aside', { task: 'noop' }))).toEqual([])
    expect(stale(changed('b', { startWhen: ' ( event:a.completed )' }))).toEqual([])
    expect(stale({ ...chain, layout: { c: { x: 1, y: 2 } } })).toEqual([])
    const turned = nodesOf(chain).map((node) => Object.fromEntries(Object.entries(node).toReversed()))
    expect(stale({ ...chain, nodes: turned })).toEqual([])
  })

  it('takes any draft: circles, nodes that cannot be read, names of properties of objects', () => {
    const odd: Definition = {
      nodes: [
        {
          id: 'c',
          task: 'set',
          startWhen: 'event:constructor.completed',
          inputBindings: { v: '{{ c2.v }}' },
        },
        { id: 'c2', task: 'set', startWhen: 'event:c.completed' },
        { id: 'constructor', task: 7, inputBindings: 'none' },
      ],
      inputs: 'none',
    }
    expect([...cone(odd).keys()].toSorted()).toEqual(['c', 'c2', 'constructor'])
    expect(coneOf(odd, 'nowhere').size).toBe(0)
    expect(coneOf({}, '__proto__').size).toBe(0)
  })
})
