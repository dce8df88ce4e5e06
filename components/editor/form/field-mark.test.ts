import { expect, it } from 'vitest'
import { nearestMark } from './field-mark'

const marks = [
  ['nodes', 0, 'name'],
  ['nodes', 0, 'inputBindings', 'form'],
  ['nodes', 0, 'inputBindings', 'form', 'price'],
  ['nodes', 1, 'name'],
]

it.each([
  [['nodes', 0, 'inputBindings', 'form', 'price', 'type'], 2],
  [['nodes', 0, 'inputBindings', 'form'], 1],
  [['nodes', '1', 'name'], 3],
  [['nodes', 0, 'inputBindings'], -1],
  [['nodes', 2, 'name'], -1],
])('a problem at %j leads to the field that holds it', (path, at) => {
  expect(nearestMark(marks, path)).toBe(at)
})
