import { describe, expect, it } from 'vitest'
import { membersBelow } from './members-below'

describe('the names below a value of a trial', () => {
  it('go as deep as an answer is read, each with its type', () => {
    const body = { total: 3, items: [{ id: 1 }], 'not-a-name': 1, page: { next: null, of: { all: true } } }
    expect(membersBelow('fetch.body', body).map(({ name, type }) => `${name} ${type}`)).toEqual([
      'fetch.body.total number',
      'fetch.body.items array',
      'fetch.body.page object',
      'fetch.body.page.next null',
      'fetch.body.page.of object',
      'fetch.body.page.of.all boolean',
    ])
    expect(membersBelow('a.n', 3)).toEqual([])
    expect(membersBelow('a.list', [{ b: 1 }])).toEqual([])
  })

  it('are bounded, however large and deep the answer is', () => {
    const wide = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, at]))
    expect(membersBelow('a.b', wide)).toHaveLength(200)
    let deep: unknown = 1
    for (let at = 0; at < 50; at += 1) deep = { x: deep }
    expect(membersBelow('a', deep).at(-1)?.name).toBe('a.x.x.x.x')
  })
})
