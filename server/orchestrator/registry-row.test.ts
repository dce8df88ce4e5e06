import { expect, it } from 'vitest'
import { EngineRun, S, ada, gate, heavy, noop } from '@/testing/engine-run'
import { viewOf } from '@/core/engine/view/project'
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

it('[R-51] says how many have approved, where one approval is not enough', () => {
  const run = new EngineRun({ nodes: [gate('g', { approvers: ['user:ada', 'user:bob'], quorum: 2 })] })
  const none = rowOf(run.state, null)
  expect(none.waitingFor).toBe('a decision (0 of 2 approvals) on g')
  run.event('external.g.approved')
  expect(rowOf(run.state, none).waitingFor).toBe('a decision (1 of 2 approvals) on g')
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
  // What it took is one figure, in the list as in the run itself.
  run.now += 1_000
  run.complete('a')
  const view = viewOf(run.state, run.now)
  const row = rowOf(run.state, null)
  expect(view.metrics.execution_duration_seconds).toBe(61)
  expect(row.finishedAt! - row.startedAt!).toBe(61_000)
  expect(Date.parse(view.first_started_at!)).toBe(row.startedAt)
  expect(Date.parse(view.started_at!)).toBe(row.startedAt! + 60_000)
})
