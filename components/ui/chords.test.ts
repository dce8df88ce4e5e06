import { describe, expect, it } from 'vitest'
import { isChord, keysOfChord } from './chords'

const press = (key: string, modifiers: string = '', code = '') => ({
  key,
  code,
  ctrlKey: modifiers.includes('C'),
  metaKey: modifiers.includes('M'),
  altKey: modifiers.includes('A'),
  shiftKey: modifiers.includes('S'),
})

describe('keys', () => {
  it('a chord is its key with its modifiers, and nothing more', () => {
    expect(isChord(press('z', 'C'), 'Mod+Z')).toBe(true)
    expect(isChord(press('z', 'M'), 'Mod+Z')).toBe(true)
    expect(isChord(press('Z', 'CS'), 'Mod+Z')).toBe(false)
    expect(isChord(press('Z', 'CS'), 'Mod+Shift+Z')).toBe(true)
    expect(isChord(press('z'), 'Mod+Z')).toBe(false)
    expect(isChord(press('z', 'A'), 'Z')).toBe(false)
    expect(isChord(press('ArrowLeft', 'S'), 'Shift+ArrowLeft')).toBe(true)
    expect(isChord(press('Delete'), 'Delete')).toBe(true)
  })

  it('signs count however they are typed, and letters on keyboards that have no Latin ones', () => {
    expect(isChord(press('+', 'S'), '+')).toBe(true)
    expect(isChord(press('+'), '+')).toBe(true)
    expect(isChord(press('/', 'S'), '/')).toBe(true)
    expect(isChord(press('я', 'C', 'KeyZ'), 'Mod+Z')).toBe(true)
    expect(isChord(press('y', 'C', 'KeyZ'), 'Mod+Z')).toBe(false)
    expect(isChord(press('+', 'C'), '+')).toBe(false)
  })

  it('are shown one by one', () => {
    expect(keysOfChord('Mod+Shift+Z')).toEqual(['Ctrl', 'Shift', 'Z'])
    expect(keysOfChord('+')).toEqual(['+'])
    expect(keysOfChord('Alt+ArrowUp')).toEqual(['Alt', '↑'])
  })
})
