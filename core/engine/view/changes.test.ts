import { expect, it } from 'vitest'
import { EngineRun, ada, heavy } from '@/testing/engine-run'
import { changesBetween, pictureOf } from './changes'
import { Rewind } from './rewind'

it('lists nodes whose state differs and variables that were written, overwritten or removed', () => {
  const run = new EngineRun({ nodes: [heavy('a'), heavy('b', 'event:a.completed'), heavy('c')] })
  run.complete('a', { result: 1 })
  const middle = run.state.seq
  run.complete('b', { result: 2 })
  run.take({ type: 'rerun', nodes: ['a'], actor: ada })
  run.complete('a', { result: 1 })
  const rewind = new Rewind('x1', run.state.pipeline, run.entries)
  const first = pictureOf(rewind.at(middle).state)
  const second = pictureOf(rewind.at(run.state.seq).state)
  expect(changesBetween(first, second).nodes).toEqual([])
  expect(changesBetween(first, second).variables).toMatchObject([
    { name: 'a.result', from: { value: 1 }, to: { value: 1 } },
  ])
  const begin = pictureOf(rewind.at(1).state)
  expect(changesBetween(begin, first)).toMatchObject({
    nodes: [
      { node: 'a', from: 'pending', to: 'completed' },
      { node: 'b', from: 'pending', to: 'running' },
      { node: 'c', from: 'pending', to: 'running' },
    ],
    variables: [{ name: 'a.result', from: null }],
  })
  expect(changesBetween(first, begin).variables).toMatchObject([{ name: 'a.result', to: null }])
})
