import { describe, expect, it } from 'vitest'
import { createTrialStore, type SampleData } from './trial-store'

function createStorage() {
  const items = new Map<string, string>()
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, text: string) => void items.set(key, text),
    removeItem: (key: string) => void items.delete(key),
  }
}
const sample = (outputs: SampleData['outputs']): SampleData => ({
  outputs,
  at: '2026-01-02T03:04:05.000Z',
  cone: new Map([['a', '1']]),
  executions: ['e1'],
})

describe('pins', () => {
  it('outlive the page, each pipeline its own, and go when they are cleared', () => {
    const storage = createStorage()
    const store = createTrialStore('p', storage)
    expect(store.pin('a', sample({ rows: [1, { b: null }] }))).toBeNull()
    expect(store.pin('constructor', sample({}))).toBeNull()
    const again = createTrialStore('p', storage).getState().pins
    expect([...again.keys()]).toEqual(['a', 'constructor'])
    expect(again.get('a')).toEqual(sample({ rows: [1, { b: null }] }))
    expect(createTrialStore('other', storage).getState().pins.size).toBe(0)
    store.unpin('a')
    expect([...createTrialStore('p', storage).getState().pins.keys()]).toEqual(['constructor'])
    store.unpinAll()
    expect(storage.items.size).toBe(0)
  })

  it('of two tabs are added up, and nothing is lost', () => {
    const storage = createStorage()
    const [one, two] = [createTrialStore('p', storage), createTrialStore('p', storage)]
    one.pin('a', sample({ v: 1 }))
    two.pin('b', sample({ v: 2 }))
    expect([...two.getState().pins.keys()]).toEqual(['a', 'b'])
  })

  it('are refused in words past 2 MB or where the browser has no room, and what was there stays', () => {
    const storage = createStorage()
    const store = createTrialStore('p', storage)
    store.pin('a', sample({ v: 1 }))
    expect(store.pin('b', sample({ v: 'x'.repeat(2_000_000) }))).toMatch(/larger than 2 MB/)
    storage.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError')
    }
    expect(store.pin('b', sample({ v: 2 }))).toMatch(/no storage left/)
    expect([...store.getState().pins.keys()]).toEqual(['a'])
  })

  it('that cannot be read count as nothing', () => {
    for (const text of [
      '',
      '{',
      '[]',
      '{"version":2,"pins":[]}',
      '{"version":1,"pins":[["a",{"outputs":7}]]}',
    ]) {
      const storage = createStorage()
      storage.items.set('penstock.pins.p', text)
      expect(createTrialStore('p', storage).getState().pins.size).toBe(0)
    }
  })

  it('are kept while the editor is open where the browser keeps nothing', () => {
    const store = createTrialStore('p', null)
    store.pin('a', sample({ v: 1 }))
    store.pin('b', sample({ v: 1 }))
    expect(store.getState().pins.size).toBe(2)
  })
})
