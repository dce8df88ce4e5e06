import { expect, it } from 'vitest'
import { EngineRun, gate, noop } from '@/testing/engine-run'
import { forkPreview } from './fork-preview'

it('a fork after the last node runs nothing, unless new inputs ask people again', () => {
  const run = new EngineRun({ nodes: [noop('a'), gate('ok', {}, 'event:a.completed')] })
  run.drain()
  expect(forkPreview(run.state, false)).toEqual({ reused: ['a'], again: ['ok'] })
  run.event('external.ok.approved')
  run.drain()
  expect(forkPreview(run.state, false)).toEqual({ reused: ['a', 'ok'], again: [] })
  expect(forkPreview(run.state, true)).toEqual({ reused: ['a'], again: ['ok'] })
})
