import { describe, expect, it } from 'vitest'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'
import { heavy, S } from '@/testing/engine-run'
import type { Journal } from '@/server/ports/journal'
import { person } from '@/testing/person'

/** Two runs that ended, on a journal that records what was read of it and can be made unreadable. */
async function ended() {
  const read: string[] = []
  const broken = new Set<string>()
  const h = await createOrchestratorFixture([heavy('a', S), heavy('b', 'event:a.completed')], {
    maxIdle: 0,
    journal: (real): Journal => ({
      ...real,
      async read(executionId, range) {
        read.push(executionId)
        if (broken.has(executionId)) throw new Error('damaged')
        return real.read(executionId, range)
      },
    }),
  })
  const ids: string[] = []
  for (let n = 0; n < 2; n++) {
    const id = await h.started()
    ids.push(id)
    for (const node of ['a', 'b']) {
      await h.until(() => h.dispatched.some(({ request: r }) => r.executionId === id && r.nodeId === node))
      h.finish(node)
    }
    await h.until(async () => (await h.store.executions.get(id))?.closedAt != null)
  }
  read.length = 0
  return { ...h, ids, read, broken }
}

describe('profiles of runs', () => {
  it('are folded once, however many ask, and are what the journal says', async () => {
    const h = await ended()
    const [first, second] = await h.settle(Promise.all([h.runs.profiles('p', 50), h.runs.profiles('p', 50)]))
    expect(first).toEqual(second)
    expect(first).toMatchObject({ pending: 0, unreadable: 0 })
    expect(first.runs.map(({ row }) => row.executionId)).toEqual(h.ids.toReversed())
    for (const { profile } of first.runs) {
      expect(Object.keys(profile!.nodes)).toEqual(['a', 'b'])
      expect(profile!.nodes['b']).toMatchObject({ status: 'completed', attempts: 1 })
    }
    expect(new Set(h.read)).toEqual(new Set(h.ids))
    const before = h.read.length
    await h.settle(h.runs.profiles('p', 50))
    expect(h.read.length).toBe(before)
  })

  it('are made again after a rerun', async () => {
    const h = await ended()
    await h.settle(h.runs.profiles('p', 50))
    const [id] = h.ids
    const input = { type: 'rerun', nodes: ['b'], actor: person('ada') } as const
    expect(await h.settle(h.engine.submit({ executionId: id!, input }))).toMatchObject({ ok: true })
    const isB = ({ request: r }: (typeof h.dispatched)[number]) =>
      r.executionId === id && r.nodeId === 'b' && r.generation === 2
    await h.until(() => h.dispatched.some(isB))
    h.dispatched.findLast(isB)!.sink.done({ ok: false, error: { kind: 'task_failed', message: 'no' } })
    await h.until(async () => (await h.store.executions.get(id!))?.status === 'failed')
    await h.until(async () => (await h.store.executions.get(id!))?.closedAt != null)
    const { runs } = await h.settle(h.runs.profiles('p', 50))
    const again = runs.find(({ row }) => row.executionId === id)
    expect(again!.profile!.nodes['b']!.status).toBe('failed')
  })

  it('a run whose journal cannot be read is listed as such, and all others are there', async () => {
    const h = await ended()
    h.broken.add(h.ids[0]!)
    const { runs, unreadable } = await h.settle(h.runs.profiles('p', 50))
    expect(unreadable).toBe(1)
    expect(runs.map(({ profile }) => profile !== null)).toEqual([true, false])
    expect(h.warnings).toEqual([`the journal of ${h.ids[0]} gave no profile`])
  })
})
