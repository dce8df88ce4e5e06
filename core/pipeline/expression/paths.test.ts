import { describe, expect, it } from 'vitest'
import { readPaths } from './paths'

const read = (source: string) =>
  readPaths(source).flatMap(({ segments, example, like }) =>
    like === undefined ? [[segments.join('.'), ...(example === undefined ? [] : [example])]] : [],
  )

describe('paths that an expression reads', () => {
  it.each([
    ['a.b[0].c', [['a.b.0.c']]],
    ['a["b c"].d', [['a.b c.d']]],
    [
      'a.n > 3 && a.n <= 9',
      [
        ['a.n', 4],
        ['a.n', 9],
      ],
    ],
    ['3 < a.n', [['a.n', 4]]],
    ['a.n < -2', [['a.n', -3]]],
    [
      "a.s == 'ok' || a.s != 'no'",
      [
        ['a.s', 'ok'],
        ['a.s', 'noz'],
      ],
    ],
    ['!a.done', [['a.done', true]]],
    [
      'a.done && a.sure',
      [
        ['a.done', true],
        ['a.sure', true],
      ],
    ],
    ["a.t.startsWith('x')", [['a.t', 'x']]],
    [
      'a.n * b.m',
      [
        ['a.n', 1],
        ['b.m', 1],
      ],
    ],
    [
      'a.rows.map(r, r.x + 1)',
      [
        ['a.rows', []],
        ['a.rows.0.x', 1],
      ],
    ],
    [
      'a.rows.all(r, r.cells.exists(c, c.ok == true))',
      [
        ['a.rows', []],
        ['a.rows.0.cells', []],
        ['a.rows.0.cells.0.ok', true],
      ],
    ],
    ['a.rows[b.i].x', [['b.i', 0], ['a.rows.0.x']]],
    ['size(a.rows) > 0', [['a.rows']]],
    ['a.ok ? a.x : a.y', [['a.ok', true], ['a.x'], ['a.y']]],
    ['{"k": a.x, "l": [a.y]}', [['a.x'], ['a.y']]],
  ])('%s', (source, paths) => expect(read(source)).toEqual(paths))

  it('of what does not parse are none', () => expect(read('a.b >')).toEqual([]))
})
