import { describe, expect, it } from 'vitest'
import { createShelf, leftBehind } from './kept'

function drawer(room = Infinity) {
  const items = new Map<string, string>()
  return {
    get length() {
      return items.size
    },
    key: (at: number) => [...items.keys()][at] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem(key: string, value: string) {
      if (value.length > room) throw new Error('full')
      items.set(key, value)
    },
    removeItem: (key: string) => void items.delete(key),
  }
}
const kept = (text: string) => ({ text, known: { version: 4, text: 'a', base: 1 } })

describe('what lies in the browser', () => {
  it('is one entry a tab, found by its author for its pipeline alone', () => {
    const storage = drawer()
    const place = { storage, user: 'ada/b', pipelineId: 'a' }
    createShelf(place, '1').put(kept('one'))
    createShelf(place, '2').put(kept('two'))
    createShelf({ ...place, user: 'ada' }, '1').put(kept('of another'))
    createShelf({ ...place, pipelineId: 'ab' }, '1').put(kept('of another pipeline'))
    expect(leftBehind(place).map((each) => each.kept)).toEqual([kept('one'), kept('two')])
    leftBehind(place)[0]?.forget()
    createShelf(place, '2').clear()
    expect(leftBehind(place)).toEqual([])
  })

  it('says when there is no room, and passes over what cannot be read', () => {
    const full = { storage: drawer(10), user: 'ada', pipelineId: 'a' }
    expect(createShelf(full, '1').put(kept('one'))).toBe(false)
    const nowhere = { ...full, storage: null }
    expect([createShelf(nowhere, '1').put(kept('one')), leftBehind(nowhere)]).toEqual([false, []])
    const odd = { ...full, storage: drawer() }
    odd.storage.setItem('penstock.draft/ada/a/1', '{"text": 1}')
    odd.storage.setItem('penstock.draft/ada/a/2', '{')
    expect(leftBehind(odd)).toEqual([])
  })
})
