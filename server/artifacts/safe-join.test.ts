import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { safeJoin } from './safe-join'

let root = ''
let inner = ''
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'penstock-join-'))
  inner = join(root, 'inner')
  mkdirSync(join(inner, 'sub'), { recursive: true })
  writeFileSync(join(root, 'secret'), 'secret')
  writeFileSync(join(inner, 'file'), 'x')
  symlinkSync(join(root, 'secret'), join(inner, 'link'))
  symlinkSync(root, join(inner, 'up'))
  symlinkSync('sub', join(inner, 'sideways'))
  symlinkSync(join(root, 'nowhere'), join(inner, 'dangling'))
  symlinkSync(inner, join(root, 'alias'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const refusal = expect.objectContaining({ code: 'unsafe_name' })

describe('the way from a name to a path', () => {
  it('leads to what is inside, there or not, in the real folder', () => {
    expect(safeJoin(inner, 'file')).toBe(join(realpathSync(inner), 'file'))
    expect(safeJoin(inner, 'sub/new/deep.txt')).toBe(join(realpathSync(inner), 'sub/new/deep.txt'))
    expect(safeJoin(join(root, 'alias'), 'file')).toBe(join(realpathSync(inner), 'file'))
    for (const odd of ['…', '%2e%2e', '..a', 'a..', ' ', '__proto__', '-rf', '～']) {
      expect(safeJoin(inner, odd)).toBe(join(realpathSync(inner), odd))
    }
  })

  it.each([
    '',
    '.',
    '..',
    '/',
    '/etc/passwd',
    '//etc/passwd',
    '../secret',
    'sub/../../secret',
    'sub/..',
    'sub/.',
    'sub//file',
    'sub/',
    './file',
    '..\\secret',
    'sub\\file',
    'C:\\x',
    'a\0b',
    'a\nb',
    'a\u007f',
    '\ud800',
    'link',
    'up/secret',
    'sideways/x',
    'dangling',
    'file/below',
    'x'.repeat(256),
    'ü'.repeat(128),
    'a/'.repeat(600) + 'a',
  ])('refuses %j', (name) => {
    expect(() => safeJoin(inner, name)).toThrow(refusal)
  })

  it('whatever the name, the path lies below the folder or there is none', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        'sub',
        'up',
        'link',
        'file',
        '%2e%2e',
        '%2f',
        '..;',
        '\\',
        '\0',
        '~',
        'inner',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    )
    const name = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'))
    fc.assert(
      fc.property(fc.oneof(name, fc.string({ unit: 'binary', maxLength: 40 })), (candidate) => {
        let path: string
        try {
          path = safeJoin(inner, candidate)
        } catch (error) {
          expect(error).toEqual(refusal)
          return
        }
        const below = relative(realpathSync(inner), path)
        expect(below).not.toBe('')
        expect(below.split('/')).not.toContain('..')
        expect(resolve(path)).toBe(path)
        expect(below).toBe(candidate)
      }),
      { numRuns: 3_000 },
    )
  })
})
