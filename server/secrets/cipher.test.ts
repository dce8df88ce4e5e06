import { describe, expect, it } from 'vitest'
import { createCipher } from './cipher'

const OLD = 'an old secret of thirty-two characters'
const NEW = 'a new secret of thirty-two characters'
const PURPOSE = 'default/secret/hook'

describe('sealed values', () => {
  it('open under the same key and purpose, whatever they hold', () => {
    const cipher = createCipher([NEW])
    for (const plain of ['', 'x', 'whsec_…', '\0\u{1F511}', 'y'.repeat(70_000)])
      expect(cipher.open(cipher.seal(plain, PURPOSE), PURPOSE)).toBe(plain)
  })

  it('look different at every sealing and do not show the value', () => {
    const cipher = createCipher([NEW])
    const sealed = [1, 2, 3].map(() => cipher.seal('canary-canary-canary', PURPOSE))
    expect(new Set(sealed).size).toBe(3)
    for (const text of sealed) {
      const body = Buffer.from(text.split('.')[2] ?? '', 'base64url')
      expect(body.includes('canary')).toBe(false)
    }
  })

  it('do not open for another purpose, nor when any character is changed', () => {
    const cipher = createCipher([NEW])
    const sealed = cipher.seal('value', PURPOSE)
    expect(() => cipher.open(sealed, 'default/secret/other')).toThrow(/belongs to something else/)
    // the last character of base64 carries bits that stand for nothing
    for (let at = 0; at < sealed.length - 1; at++) {
      const changed = `${sealed.slice(0, at)}${sealed[at] === 'a' ? 'b' : 'a'}${sealed.slice(at + 1)}`
      expect(() => cipher.open(changed, PURPOSE)).toThrow()
    }
    for (const cut of ['', 'v1', sealed.slice(0, 30), 'v2.x.y'])
      expect(() => cipher.open(cut, PURPOSE)).toThrow()
  })

  it('of an old key open while it is named, and the error says what to do when it is not', () => {
    const sealed = createCipher([OLD]).seal('value', PURPOSE)
    const rotated = createCipher([NEW, OLD])
    expect(rotated.open(sealed, PURPOSE)).toBe('value')
    expect(createCipher([NEW]).open(rotated.seal('value', PURPOSE), PURPOSE)).toBe('value')
    expect(() => createCipher([NEW]).open(sealed, PURPOSE)).toThrow(/PENSTOCK_SECRET_KEY/)
  })
})
