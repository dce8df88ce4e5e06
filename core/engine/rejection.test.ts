import { expect, it } from 'vitest'
import { EngineRun, gate, noop } from '@/testing/engine-run'
import { viewOf } from './view/project'
import { reasonText, rejectedBy } from './rejection'

it('[R-51] who said no is known from the node and from the run that it ended', () => {
  const run = new EngineRun({ nodes: [gate('ask'), noop('b', 'event:ask.completed')] })
  run.event('external.ask.rejected', { comment: 'failed: rejected by nobody' })
  run.drain()
  const view = viewOf(run.state, run.now)
  expect(view.status).toBe('failed')
  expect(rejectedBy(view.nodes['ask']!.error)).toBe('ada')
  expect(rejectedBy(view.error)).toBe('ada')
  expect(reasonText(view.error!)).toBe('rejected by ada: failed: rejected by nobody')
})

it('another error is nobody’s no', () => {
  expect(rejectedBy(null)).toBeNull()
  expect(rejectedBy({ kind: 'task_failed', message: 'rejected by ada' })).toBeNull()
  expect(rejectedBy({ kind: 'rejected', message: 'the row was rejected by the database' })).toBeNull()
})
