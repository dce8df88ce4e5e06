import { describe, expect, it } from 'vitest'
import { createStore } from 'zustand/vanilla'
import type { Definition } from '@/components/editor/model/draft/draft'
import { withNodeRenamed } from '@/components/editor/model/node/rename'
import { coneOf } from '@/components/editor/model/trial/cone'
import { staleness } from '@/components/editor/model/trial/staleness'
import { pipeline, set } from '@/testing/definitions'
import { followRenames, renamedBetween } from './follow-renames'
import { createTrialStore } from './trial-store'

const before = pipeline([
  set('a', { v: 1 }),
  set('b', { n: '{{ a.v + 1 }}' }, 'event:a.completed'),
]) as unknown as Definition

function renamed(definition: Definition, from: string, to: string): Definition {
  const result = withNodeRenamed(definition, from, to)
  if (!result.ok) throw new Error(result.error)
  return result.value
}

describe('a node with another id', () => {
  it('is recognised where it is the one thing that happened to the ids', () => {
    const after = renamed(before, 'a', 'first')
    expect(renamedBetween(before, after)).toEqual({ from: 'a', to: 'first' })
    expect(renamedBetween(after, before)).toEqual({ from: 'first', to: 'a' })
    expect(renamedBetween(before, before)).toBeNull()
    expect(renamedBetween(before, renamed(after, 'b', 'second'))).toBeNull()
    expect(renamedBetween(before, { ...before, nodes: [] })).toBeNull()
  })

  it('takes its pin and its trial along, there and back, and neither is stale by that', async () => {
    const items = new Map<string, string>()
    const trials = createTrialStore('p', {
      getItem: (key) => items.get(key) ?? null,
      setItem: (key, text) => void items.set(key, text),
      removeItem: (key) => void items.delete(key),
    })
    const draft = createStore<{ definition: Definition }>(() => ({ definition: before }))
    const loaded = Promise.resolve(coneOf)
    followRenames(draft, trials, () => loaded)
    const dataOf = (id: string) => ({
      ...{ outputs: { v: 1 }, at: '2026-01-02T03:04:05.000Z', executions: [] },
      cone: coneOf(before, id),
    })
    trials.pin('a', dataOf('a'))
    trials.pin('b', dataOf('b'))
    trials.record('b', { ...dataOf('b'), answer: {} as never })

    const after = renamed(before, 'a', 'first')
    draft.setState({ definition: after })
    await loaded
    const { pins, tried } = trials.getState()
    expect([...pins.keys()]).toEqual(['first', 'b'])
    expect(staleness(after, 'first', pins.get('first')!, 'pinned')).toBeNull()
    expect(staleness(after, 'b', pins.get('b')!, 'pinned')).toBeNull()
    expect(staleness(after, 'b', tried.get('b')!, 'tried')).toBeNull()
    expect([
      ...createTrialStore('p', { getItem: (key) => items.get(key) ?? null, setItem() {}, removeItem() {} })
        .getState()
        .pins.keys(),
    ]).toEqual(['first', 'b'])

    draft.setState({ definition: before })
    await loaded
    expect([...trials.getState().pins.keys()]).toEqual(['a', 'b'])
    expect(staleness(before, 'a', trials.getState().pins.get('a')!, 'pinned')).toBeNull()
  })
})
