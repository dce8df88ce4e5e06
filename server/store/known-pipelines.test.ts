import { describe, expect, it } from 'vitest'
import type { PipelineRegistry } from '@/server/ports/registry'
import { IMPLEMENTATIONS } from './contract-fixtures'
import { keepKnownPipelines } from './known-pipelines'

const revisionOf = (digest: string) => ({
  name: digest,
  description: null,
  labels: {},
  revision: {
    pipelineId: 'report',
    definition: {},
    text: null,
    digest,
    createdAt: 0,
    createdBy: 'ada',
    createdById: 'usr_ada',
  },
})

describe.each(IMPLEMENTATIONS)('known pipelines over the registry in $name', ({ open }) => {
  it('reads a pipeline once, and again after each write', async () => {
    await using store = await open()
    let reads = 0
    const registry: PipelineRegistry = {
      ...store.pipelines,
      get(id) {
        reads += 1
        return store.pipelines.get(id)
      },
    }
    const pipelines = keepKnownPipelines(registry)
    expect(await pipelines.get('report')).toBeNull()
    await pipelines.create(revisionOf('first'))
    expect((await pipelines.get('report'))?.revision).toBe(1)
    expect(await pipelines.get('report')).toEqual(await store.pipelines.get('report'))
    expect(reads).toBe(2)
    await pipelines.update(revisionOf('second'), 1)
    expect((await pipelines.get('report'))?.name).toBe('second')
    await pipelines.remove('report')
    expect(await pipelines.get('report')).toBeNull()
    expect(reads).toBe(4)
  })

  it('does not keep what was read while it was written', async () => {
    await using store = await open()
    await store.pipelines.create(revisionOf('first'))
    const pipelines = keepKnownPipelines(store.pipelines)
    await Promise.all([
      pipelines.get('report'),
      pipelines.update(revisionOf('second'), 1),
      pipelines.get('report'),
    ])
    expect((await pipelines.get('report'))?.revision).toBe(2)
  })
})
