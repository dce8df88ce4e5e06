import { expect, it } from 'vitest'
import { memoizeMap } from './memoize'

it('makes of a list only what stands where another stood, and gives the same list where nothing does', () => {
  const made: number[] = []
  const map = memoizeMap((member: { readonly at: number }) => {
    made.push(member.at)
    return { twice: member.at * 2 }
  })
  const list = [{ at: 0 }, { at: 1 }, { at: 2 }]
  const first = map(list)
  expect(first).toEqual([{ twice: 0 }, { twice: 2 }, { twice: 4 }])
  expect(map([...list])).toBe(first)
  expect(made.splice(0)).toEqual([0, 1, 2])
  const second = map([list[0]!, { at: 5 }, list[2]!])
  expect(second).toEqual([{ twice: 0 }, { twice: 10 }, { twice: 4 }])
  expect(second[0]).toBe(first[0])
  expect(first[1]).toEqual({ twice: 2 })
  expect(made.splice(0)).toEqual([5])
  expect(map([list[0]!])).toEqual([{ twice: 0 }])
  expect(map(list)).toEqual(first)
  expect(made).toEqual([1, 2])
})
