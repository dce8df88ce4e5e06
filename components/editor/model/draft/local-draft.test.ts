import { describe, expect, it } from 'vitest'
import { createLocalDraft, readLocalDrafts } from './local-draft'

function storageWith(room = Infinity) {
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
const copyOf = (text: string) => ({ text, known: { version: 4, text: 'a', base: 1 } })

describe('copies of a draft in the browser', () => {
  it('have one entry for each tab, found only for their user and pipeline', () => {
    const storage = storageWith()
    const key = { storage, user: 'ada/b', pipelineId: 'a' }
    createLocalDraft(key, '1').save(copyOf('one'))
    createLocalDraft(key, '2').save(copyOf('two'))
    createLocalDraft({ ...key, user: 'ada' }, '1').save(copyOf('of another user'))
    createLocalDraft({ ...key, pipelineId: 'ab' }, '1').save(copyOf('of another pipeline'))
    expect(readLocalDrafts(key).map((each) => each.copy)).toEqual([copyOf('one'), copyOf('two')])
    readLocalDrafts(key)[0]?.remove()
    createLocalDraft(key, '2').clear()
    expect(readLocalDrafts(key)).toEqual([])
  })

  it('report that storage is full, and entries that cannot be read are skipped', () => {
    const full = { storage: storageWith(10), user: 'ada', pipelineId: 'a' }
    expect(createLocalDraft(full, '1').save(copyOf('one'))).toBe(false)
    const disallowed = { ...full, storage: null }
    expect([createLocalDraft(disallowed, '1').save(copyOf('one')), readLocalDrafts(disallowed)]).toEqual([
      false,
      [],
    ])
    const unreadable = { ...full, storage: storageWith() }
    unreadable.storage.setItem('penstock.draft/ada/a/1', '{"text": 1}')
    unreadable.storage.setItem('penstock.draft/ada/a/2', '{')
    expect(readLocalDrafts(unreadable)).toEqual([])
  })
})
