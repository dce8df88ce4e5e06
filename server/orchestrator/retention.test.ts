import { describe, expect, it } from 'vitest'
import { rowOf, writeOf } from '@/server/store/contract-fixtures'
import { openMemoryStore } from '@/server/store/memory/open'
import { Random } from '@/testing/simulation/random'
import { World } from '@/testing/simulation/world'
import { createRetention } from './retention'

const DAY = 24 * 60 * 60_000

function fixture(options: { retentionMs?: number | null; working?: Set<string> } = {}) {
  const world = new World(new Random(1))
  const store = openMemoryStore()
  const forgotten: string[] = []
  const discarded: string[] = []
  const warnings: unknown[] = []
  const retention = createRetention(
    {
      retention: store.retention,
      artifacts: {
        async discard(digest) {
          discarded.push(digest)
        },
      },
      clock: world.clock(),
      isWorking: (executionId) => options.working?.has(executionId) ?? false,
      cannotEnd: () => false,
      async forget(executionId) {
        forgotten.push(executionId)
      },
      warn: (_what, error) => warnings.push(error),
    },
    options.retentionMs === undefined ? 30 * DAY : options.retentionMs,
  )
  const add = (executionId: string, closedAt: number | null, parentId: string | null = null) =>
    store.journal.commit({
      executions: [
        { ...writeOf(executionId, ['a.completed']), row: rowOf(executionId, { closedAt, parentId }) },
      ],
    })
  /** Lets the world go on until `holds`, and answers when it did. */
  async function until(holds: () => boolean): Promise<number> {
    for (let turn = 0; turn < 500; turn += 1) {
      if (holds()) return world.now
      await world.advance()
    }
    throw new Error('it never came to hold')
  }
  return { world, store, retention, forgotten, discarded, warnings, add, until }
}

describe('retention', () => {
  it('[N-17] [E-16] removes each run when its time is over, not before, and drops it from memory', async () => {
    const at = fixture()
    const begun = at.world.now
    await at.add('old', begun - 40 * DAY)
    await at.add('young', begun - 29 * DAY)
    await at.add('open', null)
    at.retention.start()
    expect(await at.until(() => at.forgotten.includes('old'))).toBe(begun)
    expect(await at.until(() => at.forgotten.includes('young'))).toBe(begun + DAY)
    expect(at.forgotten).toEqual(['old', 'young'])
    expect(await at.store.journal.read('young')).toEqual([])
    expect(await at.store.executions.get('open')).not.toBeNull()
    expect(at.warnings).toEqual([])
  })

  it('[N-17] what is closed while it waits goes at its own time as well', async () => {
    const at = fixture({ retentionMs: DAY })
    const begun = at.world.now
    at.retention.start()
    await at.until(() => at.world.events > 0)
    const closedAt = at.world.now + 1
    await at.add('x1', closedAt)
    expect(await at.until(() => at.forgotten.includes('x1'))).toBe(closedAt + DAY)
    expect(closedAt).toBeGreaterThan(begun)
  })

  it('[N-17] [E-8] a run whose work still ends is not removed, and one that is asked for goes at once', async () => {
    const at = fixture({ retentionMs: null, working: new Set(['busy']) })
    await at.add('busy', 1)
    await at.add('x1', 1)
    await at.add('child', 1, 'x1')
    at.retention.start()
    expect(await at.retention.remove('busy')).toBe('open')
    expect(await at.retention.remove('child')).toBe('child')
    expect(await at.retention.remove('x1')).toBe('removed')
    expect(await at.store.executions.get('x1')).toBeNull()
    await at.until(() => at.forgotten.includes('child'))
    expect(await at.retention.remove('x1')).toBe('missing')
  })

  it('[N-17] what an earlier process began is ended at the start, contents included', async () => {
    const at = fixture({ retentionMs: null })
    await at.add('x1', 1)
    const digest = 'ab'.repeat(32)
    await at.store.artifactRows.insert({
      artifactId: 'a1',
      executionId: 'x1',
      nodeId: 'a',
      name: 'rows.csv',
      contentType: 'text/csv',
      bytes: 1,
      digest,
      createdAt: 1,
    })
    await at.store.retention.begin('x1')
    at.retention.start()
    await at.until(() => at.discarded.includes(digest))
    expect(await at.store.journal.read('x1')).toEqual([])
    await at.retention.stop()
    expect(await at.store.retention.unusedContents(10)).toEqual([])
  })
})
