import { describe, expect, it } from 'vitest'
import { S, ada, heavy, noop } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'

const nodes = [heavy('a'), noop('b', 'event:pipeline.started && event:external.go')]

describe('two engines on one store', () => {
  it('an engine that only reads a run publishes and starts nothing', async () => {
    const at = await createOrchestratorFixture(nodes)
    const id = await at.started()
    await at.until(async () => (await at.store.journal.read(id)).at(-1)?.event.type === 'a.task.running')
    const before = await at.store.journal.read(id)
    const other = at.another()
    const state = await at.settle(other.runs.state(id))
    expect(state?.inFlight.get('a')).toMatchObject({ token: 1 })
    for (let turn = 0; turn < 50; turn++) await at.world.advance()
    expect(await at.store.journal.read(id)).toEqual(before)
    expect(at.dispatched).toHaveLength(1)
    // It reads on from where it was.
    await at.publish(id, 'external.go')
    at.finish('a')
    await at.until(async () => (await at.status(id)) === 'running')
    expect((await at.settle(other.runs.state(id)))?.nodes.get('b')).toMatchObject({ status: 'running' })
  })

  it('never both write: the one that came first is refused, acknowledges nothing and ends', async () => {
    const at = await createOrchestratorFixture([heavy('a', S), noop('b', 'event:a.completed')])
    const id = await at.started()
    const first = at.engine
    const second = at.another().engine
    await at.settle(second.recover())
    const seq = (await at.store.journal.read(id)).length
    const publish = (engine: typeof first) =>
      engine.submit({
        executionId: id,
        input: { type: 'publish_event', eventType: 'external.x', payload: {}, actor: ada },
      })
    await expect(at.settle(publish(first))).rejects.toThrow(
      'another engine has taken over this store: engine (epoch 2) writes now, and engine (epoch 1) may not',
    )
    expect(at.fatal).toHaveLength(1)
    expect(await at.store.journal.read(id)).toHaveLength(seq)
    expect(await at.settle(publish(second))).toMatchObject({ ok: true })
    await expect(at.settle(publish(first))).rejects.toThrow('another engine has taken over this store')
  })
})
