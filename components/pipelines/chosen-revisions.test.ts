import { expect, it } from 'vitest'
import { readChosen, toggleChosen, writeChosen } from './chosen-revisions'

it('at most two revisions are chosen: a third replaces the second', () => {
  expect(toggleChosen([], 3)).toEqual([3])
  expect(toggleChosen([3], 1)).toEqual([3, 1])
  expect(toggleChosen([3, 1], 2)).toEqual([3, 2])
  expect(toggleChosen([3, 1], 3)).toEqual([1])
})

it('a choice is read from the address that it wrote; what is no revision is left out', () => {
  expect(String(writeChosen([3, 1]))).toBe('from=3&to=1')
  for (const chosen of [[], [3], [3, 1]]) expect(readChosen(writeChosen(chosen))).toEqual(chosen)
  expect(readChosen(new URLSearchParams('from=x&to=-1'))).toEqual([])
  expect(readChosen(new URLSearchParams('from=1.5&to=2'))).toEqual([2])
})
