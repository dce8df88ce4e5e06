import { describe, expect, it } from 'vitest'
import { taskCatalog } from '@/tasks/contracts'
import { findEntries, paletteHints } from './palette'

describe('the palette', () => {
  it('offers every task, another pipeline and an external event', () => {
    const keys = findEntries([]).map(({ key }) => key)
    expect(keys).toEqual([...taskCatalog.keys(), 'pipeline', 'event'])
  })

  it('finds entries by the words of other tools, and needs all words', () => {
    expect(findEntries(['curl'])[0]?.key).toBe('http.request')
    expect(findEntries(['human', 'review']).map(({ key }) => key)).toEqual(['approval'])
    expect(findEntries(['curl', 'sleep'])).toEqual([])
  })

  it('ranks an entry with the word in its name above one that mentions it', () => {
    const found = findEntries(['wait'])
    const named = ({ type, title }: { type: string; title: string }) =>
      `${type} ${title}`.toLowerCase().includes('wait')
    expect(found.length).toBeGreaterThan(1)
    expect(found.map(named)).toEqual(found.map(named).toSorted((a, b) => Number(b) - Number(a)))
  })

  it('says where a node of another tool is found here', () => {
    expect(paletteHints(['if'])[0]?.text).toContain('Starts when')
    expect(paletteHints(['loo'])[0]?.text).toContain('For each item')
    expect(paletteHints(['i'])).toEqual([])
  })
})
