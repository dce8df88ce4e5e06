import { describe, expect, it } from 'vitest'
import { createEchoes } from './echoes'

describe('the texts of an editor that come back to it', () => {
  it('are not written into it again, however late they come', () => {
    const echoes = createEchoes()
    for (const text of ['r', 'ro', 'row']) echoes.gave(text)
    expect(echoes.isForeign('r', 'row')).toBe(false)
    // One render may stand for several keys.
    expect(echoes.isForeign('row', 'row')).toBe(false)
  })

  it('are recognised in their order, also where one was written twice', () => {
    const echoes = createEchoes()
    for (const text of ['a', 'ab', 'a', 'ac']) echoes.gave(text)
    expect(echoes.isForeign('a', 'ac')).toBe(false)
    expect(echoes.isForeign('ab', 'ac')).toBe(false)
    expect(echoes.isForeign('a', 'ac')).toBe(false)
  })

  it('are told from what an undo, another view or the owner itself has set', () => {
    const echoes = createEchoes()
    echoes.gave('ab')
    expect(echoes.isForeign('ab', 'ab')).toBe(false)
    expect(echoes.isForeign('a', 'ab')).toBe(true)
    echoes.gave('{{ a }}')
    expect(echoes.isForeign('a', '{{ a }}')).toBe(true)
    // After that nothing is awaited.
    expect(echoes.isForeign('{{ a }}', 'a')).toBe(true)
  })
})
