import { describe, expect, it } from 'vitest'
import { S, ada, heavy, noop } from '@/testing/engine-run'
import { createOrchestratorFixture } from '@/testing/orchestrator-fixture'

describe('two engines on one store', () => {
  it('never both write: the one that came first is refused, acknowledges nothing and ends', async () => {
    const at = await createOrchestratorFixture([heavy('a', S), noop('b', 'event:a.completed')])
    const id = await at.started()
    const first = at.orchestrator
    const second = at.another()
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
