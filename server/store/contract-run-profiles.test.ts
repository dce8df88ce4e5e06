import { describe, expect, it } from 'vitest'
import type { RunProfile } from '@/core/engine/timeline/run-profile'
import { IMPLEMENTATIONS, rowOf, T0, writeOf } from './contract-fixtures'
import type { Store } from './store'

const profile = (run: number): RunProfile => ({
  nodes: { a: { status: 'completed', attempts: 1, duration: run, run, queue: 0, wait: 0 } },
})

async function closed(store: Store, id: string, closedAt: number | null, pipelineId = 'report') {
  const write = writeOf(id, ['pipeline.created', 'a.started'])
  await store.journal.commit({ executions: [{ ...write, row: rowOf(id, { pipelineId, closedAt }) }] })
}

for (const { name, open } of IMPLEMENTATIONS) {
  describe(`profiles of runs, ${name}`, () => {
    const latest = async (store: Store, limit = 10) =>
      (await store.profiles.latest('report', limit)).map((run) => [run.row.executionId, run.profile])

    it('cover the closed runs of one pipeline, the last closed first, those of one instant by their ids', async () => {
      await using store = await open()
      await closed(store, 'open', null)
      await closed(store, 'late', T0 + 9)
      await closed(store, 'other', T0 + 10, 'other')
      await closed(store, 'early', T0 + 1)
      await closed(store, 'same', T0 + 9)
      await store.profiles.keep('early', 2, profile(5))
      expect(await latest(store)).toEqual([
        ['same', null],
        ['late', null],
        ['early', profile(5)],
      ])
      expect(await latest(store, 1)).toEqual([['same', null]])
      await expect(store.profiles.latest('report', 1_000)).rejects.toMatchObject({ code: 'invalid_limit' })
    })

    it('count as long as nothing more has happened, and the last that was stored stays', async () => {
      await using store = await open()
      await closed(store, 'x', T0)
      await store.profiles.keep('x', 2, profile(5))
      await store.journal.commit({ executions: [writeOf('x', ['pipeline.restarted'], 2)] })
      expect(await latest(store)).toEqual([['x', null]])
      await store.profiles.keep('x', 3, profile(6))
      expect(await latest(store)).toEqual([['x', profile(6)]])
    })

    it('are not stored for a run that is gone', async () => {
      await using store = await open()
      await closed(store, 'x', T0)
      expect(await store.retention.begin('x')).toBe('begun')
      await store.profiles.keep('x', 2, profile(5))
      while ((await store.retention.step()) !== null);
      await closed(store, 'x', T0)
      expect(await latest(store)).toEqual([['x', null]])
    })
  })
}
