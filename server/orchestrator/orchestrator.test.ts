import { SLOTS } from '@/core/pipeline/definition/demand'
import { describe, expect, it } from 'vitest'
import type { Event } from '@/core/engine/event'
import type { Batch, CommitResult, ExecutionWrite } from '@/server/ports/journal'
import type { PendingDelivery } from '@/server/ports/webhooks'
import { S, ada, gate, heavy, noop, wait } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'

/** `external.go`, written past the engine that owns the store. */
function foreignWrite(executionId: string, expectedSeq: number): ExecutionWrite {
  const seq = expectedSeq + 1
  const event: Event = {
    id: `${executionId}.${seq}`,
    execution_id: executionId,
    seq,
    type: 'external.go',
    source: { entity_type: 'external', entity_id: 'go' },
    generation: 1,
    payload: {},
    timestamp: '2026-06-01T00:00:00.000Z',
  }
  return { owner: 'engine', epoch: 1, executionId, expectedSeq, entries: [{ event, variables: [] }] }
}

describe('the orchestrator', () => {
  it('[E-19][R-1] with every wake-up lost the sweep still finishes a run; nobody else does anything', async () => {
    const at = await createOrchestratorFixture([wait('w', '10s')], { wakeUps: false })
    const id = await at.started()
    const begun = at.world.now
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(at.world.now - begun).toBeGreaterThanOrEqual(20_000)
    expect(at.world.now - begun).toBeLessThanOrEqual(30_000)
  })

  it('[E-19][R-19] the stores are passive: an event written behind the back of the engine moves nothing by itself', async () => {
    const at = await createOrchestratorFixture([noop('a', 'event:pipeline.started && event:external.go')])
    const id = await at.started()
    const seq = (await at.store.journal.read(id)).length
    await at.store.journal.commit({ executions: [foreignWrite(id, seq)] })
    expect(at.dispatched).toEqual([])
    expect(await at.store.events.has(id, 'a.started')).toBe(false)
    // The next input conflicts with the foreign entry: the run is folded again, and the input is decided on what is there.
    expect(await at.publish(id, 'external.more')).toMatchObject({ ok: true })
    const types = (await at.store.journal.read(id)).map(({ event }) => event.type)
    expect(types.slice(seq)).toEqual(['external.go', 'external.more', 'a.started', 'a.task.started'])
    expect(at.fatal).toEqual([])
  })

  it('[R-19] deliveries are written by the commit of their events and sent after it; a conflict sends none', async () => {
    const delivered: PendingDelivery[] = []
    const batches: Batch[] = []
    const at = await createOrchestratorFixture([noop('a', 'event:pipeline.started && event:external.go')], {
      journal: (real) => ({
        ...real,
        async commit(batch) {
          const before = delivered.length
          const result = await real.commit(batch)
          expect(delivered).toHaveLength(before)
          if (result.conflicts.length === 0) batches.push(batch)
          return result
        },
      }),
      outbox: {
        owed: (pipelineId, entries) => entries.map(({ event }) => ({ webhookId: pipelineId, event })),
        committed: (owed) => delivered.push(...owed),
      },
    })
    const id = await at.started()
    const seq = (await at.store.journal.read(id)).length
    await at.store.journal.commit({ executions: [foreignWrite(id, seq)] })
    expect(await at.publish(id, 'external.more')).toMatchObject({ ok: true })
    const stored = (await at.store.journal.read(id)).map(({ event }) => event)
    const own = stored.filter((event) => event.seq !== seq + 1)
    expect(delivered).toEqual(own.map((event) => ({ webhookId: 'p', event })))
    expect(batches.flatMap((batch) => batch.executions.flatMap((write) => write.deliveries ?? []))).toEqual(
      delivered,
    )
  })

  it('[R-73] a key gives the first answer again, at once, later and after the end; another request with it is a conflict', async () => {
    const at = await createOrchestratorFixture([noop('a', 'event:pipeline.started && event:external.go')])
    const key = { scope: 's', key: 'k', requestDigest: 'one' }
    const [first, second] = await at.settle(
      Promise.all([at.start({ idempotency: key }), at.start({ idempotency: key })]),
    )
    expect(first).toMatchObject({ ok: true })
    expect(second).toMatchObject({ ok: true, executionId: (first as { executionId: string }).executionId })
    expect((await at.store.executions.list({ limit: 10 })).items).toHaveLength(1)
    expect(await at.start({ idempotency: { ...key, requestDigest: 'two' } })).toMatchObject({
      ok: false,
      rejection: { code: 'idempotency_conflict' },
    })

    const id = (first as { executionId: string }).executionId
    const event = { scope: 'e', key: 'k', requestDigest: 'go' }
    const published = await at.publish(id, 'external.go', event)
    at.dispatched[0]!.sink.done({ ok: true, outputs: {} })
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.publish(id, 'external.go', event)).toEqual({ ...published, repeated: true })
    expect(await at.publish(id, 'external.go')).toMatchObject({
      ok: false,
      rejection: { code: 'execution_finished' },
    })
  })

  it('[H-13][R-4] nobody is answered and nothing is read before the commit', async () => {
    let release: () => void = () => undefined
    let held: Batch[] = []
    const at = await createOrchestratorFixture([noop('a')], {
      journal: (real) => ({
        ...real,
        async commit(batch): Promise<CommitResult> {
          held.push(batch)
          await new Promise<void>((resolve) => (release = resolve))
          return real.commit(batch)
        },
      }),
    })
    let answered = false
    const answer = at.engine
      .start({ pipelineId: 'p', revision: 1, inputs: {}, actor: ada, priority: 5, labels: {}, mocks: {} })
      .finally(() => (answered = true))
    await at.until(() => held.length === 1)
    let read = false
    void at.runs.state('x0').then(() => (read = true))
    for (let turn = 0; turn < 20; turn++) await at.world.advance()
    expect([answered, read, at.dispatched.length]).toEqual([false, false, 0])
    held = []
    release()
    expect(await at.settle(answer)).toMatchObject({ ok: true, executionId: 'x0' })
    expect(at.dispatched).toHaveLength(1)
  })

  it('a journal that cannot be written acknowledges nothing any more and ends the process', async () => {
    const at = await createOrchestratorFixture([noop('a')], {
      journal: (real) => ({ ...real, commit: () => Promise.reject(new Error('disk full')) }),
    })
    await expect(at.start()).rejects.toThrow('disk full')
    expect(at.fatal).toHaveLength(1)
    await expect(at.start()).rejects.toThrow('disk full')
    expect(at.dispatched).toEqual([])
  })

  it('a parked run leaves memory and comes back when something happens to it', async () => {
    const at = await createOrchestratorFixture([gate('g'), noop('b', 'event:g.approved')], { maxIdle: 0 })
    const id = await at.started()
    expect(await at.status(id)).toBe('waiting')
    expect(await at.publish(id, 'external.g.approved')).toMatchObject({ ok: true })
    at.dispatched[0]!.sink.done({ ok: true, outputs: {} })
    await at.until(async () => (await at.status(id)) === 'completed')
    expect(await at.publish('nobody', 'external.x')).toMatchObject({
      ok: false,
      rejection: { code: 'not_found' },
    })
  })

  it('[R-57] a late result is recorded with the attempt, never as an event', async () => {
    const at = await createOrchestratorFixture([heavy('a', S, { timeout: '5s' })])
    const id = await at.started()
    await at.until(async () => (await at.status(id)) === 'failed')
    expect(at.dispatched[0]!.aborted).toBe('timeout')
    const length = (await at.store.journal.read(id)).length
    at.dispatched[0]!.sink.done({ ok: true, outputs: { result: 1 } })
    await at.until(async () => (await at.store.attempts.listRefused(id, 'a')).length === 1)
    expect(await at.store.journal.read(id)).toHaveLength(length)
  })

  it('[R-69] a cancel stops what runs, and the run ends when it has ended', async () => {
    const at = await createOrchestratorFixture([heavy('a'), noop('b', 'event:a.completed')])
    const id = await at.started()
    const cancel = () =>
      at.settle(
        at.engine.submit({ executionId: id, input: { type: 'cancel', reason: 'enough', actor: ada } }),
      )
    expect(await cancel()).toMatchObject({ ok: true })
    expect(at.dispatched[0]!.aborted).toBe('cancelled')
    expect(await at.status(id)).toBe('running')
    expect(await cancel()).toMatchObject({ ok: true, entries: [] })
    at.dispatched[0]!.sink.done({ ok: false, error: { kind: 'cancelled', message: 'killed' } })
    await at.until(async () => (await at.status(id)) === 'cancelled')
  })

  it('slots are shared across runs: the higher priority first, then who waits longest', async () => {
    const at = await createOrchestratorFixture([heavy('a')], { maxConcurrentTasks: 1 })
    const first = await at.started()
    const late = await at.started(5)
    at.world.now += 1_000
    const later = await at.started(5)
    const urgent = await at.started(9)
    expect(at.dispatched.map(({ request }) => request.executionId)).toEqual([first])
    expect(at.runs.admission()).toMatchObject({
      slots: 1,
      inUse: 1,
      queued: [{ executionId: urgent }, { executionId: late }, { executionId: later }],
    })
    for (let turn = 0; turn < 4; turn++) {
      at.dispatched.at(-1)!.sink.done({ ok: true, outputs: { result: 1 } })
      const next = turn + 2
      await at.until(() => at.dispatched.length === Math.min(next, 4))
    }
    expect(at.dispatched.map(({ request }) => request.executionId)).toEqual([first, urgent, late, later])
  })

  it('[H-4] of the slots a run may have those that no other run holds, and one at least', async () => {
    const nodes = ['a', 'b', 'c'].map((id) => heavy(id))
    const at = await createOrchestratorFixture(nodes, { maxConcurrentTasks: 4 })
    const [first, second] = [await at.started(), await at.started()]
    const slotsOf = async (id: string) => at.runs.places(await at.runs.state(id)).get(SLOTS)
    // One of the second run's nodes has got the slot that was left.
    expect([await slotsOf(first), await slotsOf(second)]).toEqual([3, 1])
    expect(at.runs.places(null).get(SLOTS)).toBe(4)
  })

  it('a failed node leaves statistics as an outcome, a completed one its duration, and estimates are their median, of five their P90', async () => {
    const at = await createOrchestratorFixture([heavy('a')])
    for (const duration of [100, 300, 200]) {
      await at.started()
      at.world.now += duration
      at.dispatched.at(-1)!.sink.done({ ok: true, outputs: { result: 1 } })
      await at.until(() => at.runs.admission().inUse === 0)
    }
    expect((await at.runs.estimates('p')).get('a')).toEqual({ p50: 200, p90: null })
    expect(await at.store.statistics.ofPipeline('p')).toMatchObject([
      { nodeId: 'a', completed: 3, failed: 0, durations: [100, 300, 200] },
    ])
    for (const duration of [500, 400]) {
      await at.started()
      at.world.now += duration
      at.dispatched.at(-1)!.sink.done({ ok: true, outputs: { result: 1 } })
      await at.until(() => at.runs.admission().inUse === 0)
    }
    expect((await at.runs.estimates('p')).get('a')).toEqual({ p50: 300, p90: 500 })
  })
})
