import { expect, it } from 'vitest'
import { EngineRun, S, ada, gate, heavy, noop } from '@/testing/engine-run'
import { rowOf } from './registry-row'

it('says for what people or the outside have to do a run waits, as long as nothing moves by itself', () => {
  const run = new EngineRun({
    nodes: [heavy('a'), gate('g', {}, S), noop('b', 'event:a.completed && event:external.go')],
  })
  expect(rowOf(run.state, null).waitingFor).toBe(null)
  run.complete('a')
  const both = rowOf(run.state, null)
  expect(both.waitingFor).toBe('a decision on g and 1 more')
  expect(rowOf(run.state, both)).toBe(both)
  run.event('external.g.approved')
  expect(rowOf(run.state, both).waitingFor).toBe('external.go')
  run.event('external.go')
  expect(rowOf(run.state, both).waitingFor).toBe(null)
})

it('[R-64] began when the run began first, also when it is run again', () => {
  const run = new EngineRun({ nodes: [heavy('a')] })
  const first = rowOf(run.state, null)
  run.complete('a')
  run.now += 60_000
  run.take({ type: 'rerun', nodes: ['a'], actor: ada })
  expect(run.state.startedAt).toBe(run.now)
  expect(rowOf(run.state, first).startedAt).toBe(first.startedAt)
  expect(rowOf(run.state, null).startedAt).toBe(first.startedAt)
})
