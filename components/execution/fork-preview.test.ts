import { expect, it } from 'vitest'
import { Rewind } from '@/core/engine/view/rewind'
import { EngineRun, failing, gate, noop } from '@/testing/engine-run'
import { forkPointBefore, forkPreview } from './fork-preview'

it('a fork after the last node runs nothing, unless new inputs ask people again', () => {
  const run = new EngineRun({ nodes: [noop('a'), gate('ok', {}, 'event:a.completed')] })
  run.drain()
  expect(forkPreview(run.state, false)).toEqual({ reused: ['a'], again: ['ok'] })
  run.event('external.ok.approved')
  run.drain()
  expect(forkPreview(run.state, false)).toEqual({ reused: ['a', 'ok'], again: [] })
  expect(forkPreview(run.state, true)).toEqual({ reused: ['a'], again: ['ok'] })
})

it('[R-88] the fork instead of a rerun begins before the first node that would be rerun, and keeps what ended before', () => {
  const run = new EngineRun({
    nodes: [noop('a'), failing('b', 'event:a.completed'), noop('c', 'event:b.completed')],
  })
  run.drain()
  const rewound = (seq: number) =>
    forkPreview(new Rewind('run', run.state.pipeline, run.entries).at(seq).state, false)
  expect(rewound(run.state.seq)).toEqual({ reused: ['a', 'b', 'c'], again: [] })
  expect(rewound(forkPointBefore(run.state, 'failed'))).toEqual({ reused: ['a'], again: ['b', 'c'] })
  expect(rewound(forkPointBefore(run.state, ['a']))).toEqual({ reused: [], again: ['a', 'b', 'c'] })
})
