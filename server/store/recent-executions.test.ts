import { describe, expect, it } from 'vitest'
import type { Journal } from '@/server/ports/journal'
import type { ExecutionRegistry } from '@/server/ports/registry'
import { IMPLEMENTATIONS, rowOf, writeOf } from './contract-fixtures'
import { keepRecentExecutions } from './recent-executions'

/** A journal that counts what is read from it. */
function counted(journal: Journal): Journal & { reads: number } {
  const counting = {
    reads: 0,
    claim: (owner: string) => journal.claim(owner),
    commit: (batch: Parameters<Journal['commit']>[0]) => journal.commit(batch),
    read(...range: Parameters<Journal['read']>) {
      counting.reads += 1
      return journal.read(...range)
    },
  }
  return counting
}

describe.each(IMPLEMENTATIONS)('recent entries over the journal in $name', ({ open }) => {
  const types = (count: number, from = 0) =>
    Array.from({ length: count }, (_, index) => ({ type: 'n.started', payload: { n: from + index } }))

  it('answers what was committed a moment ago without reading, as the journal would', async () => {
    await using store = await open()
    const inner = counted(store.journal)
    const { journal } = keepRecentExecutions({ journal: inner, executions: store.executions })
    await journal.commit({ executions: [writeOf('x1', types(3)), writeOf('x2', types(1))] })
    await journal.commit({ executions: [writeOf('x1', types(2, 3), 3)] })
    const ranges = [{}, { after: 0 }, { after: 2 }, { after: 2, limit: 2 }, { after: 5 }, { after: 9 }]
    const answers = await Promise.all(ranges.map((range) => journal.read('x1', range)))
    expect(inner.reads).toBe(0)
    expect(answers).toEqual(await Promise.all(ranges.map((range) => store.journal.read('x1', range))))
    expect(await journal.read('x3')).toEqual([])
  })

  it('reads what it has no more, or never had', async () => {
    await using store = await open()
    await store.journal.commit({ executions: [writeOf('x1', types(2))] })
    const inner = counted(store.journal)
    const { journal, forget } = keepRecentExecutions({ journal: inner, executions: store.executions }, 1_700)
    await journal.commit({ executions: [writeOf('x1', types(2, 2), 2)] })
    expect((await journal.read('x1', { after: 1 })).map(({ event }) => event.seq)).toEqual([2, 3, 4])
    expect(inner.reads).toBe(1)
    expect((await journal.read('x1', { after: 2 })).map(({ event }) => event.seq)).toEqual([3, 4])
    expect(inner.reads).toBe(1)
    await journal.commit({ executions: [writeOf('x2', types(3))] })
    expect(await journal.read('x1', { after: 2 })).toHaveLength(2)
    expect(inner.reads).toBe(2)
    forget('x2')
    expect(await journal.read('x2')).toHaveLength(3)
    expect(inner.reads).toBe(3)
  })

  it('does not hold large values in memory', async () => {
    await using store = await open()
    const inner = counted(store.journal)
    const { journal } = keepRecentExecutions({ journal: inner, executions: store.executions })
    const value = { rows: Array.from({ length: 500 }, (_, n) => ({ name: `row ${n}` })) }
    const large = { type: 'n.completed', variables: [{ name: 'n.rows', value }] }
    await journal.commit({ executions: [writeOf('x1', [large])] })
    expect((await journal.read('x1'))[0]?.variables).toEqual(large.variables)
    expect(inner.reads).toBe(1)
  })

  it('answers the row of the last commit without reading, and reads the others', async () => {
    await using store = await open()
    let reads = 0
    const executions: ExecutionRegistry = {
      ...store.executions,
      get(executionId) {
        reads += 1
        return store.executions.get(executionId)
      },
    }
    const recent = keepRecentExecutions({ journal: store.journal, executions })
    const { journal } = recent
    await journal.commit({ executions: [writeOf('x1', types(1))] })
    await journal.commit({ executions: [writeOf('x1', types(1, 1), 1)] })
    await journal.commit({
      executions: [{ ...writeOf('x1', types(1, 2), 2), row: rowOf('x1', { priority: 9 }) }],
    })
    expect(await recent.executions.get('x1')).toEqual(await store.executions.get('x1'))
    expect(reads).toBe(0)
    expect(await recent.executions.get('x2')).toBeNull()
    recent.forget('x1')
    expect((await recent.executions.get('x1'))?.priority).toBe(9)
    expect(reads).toBe(2)
  })

  it('[R-38] forgets an execution that somebody else has written', async () => {
    await using store = await open()
    const { journal } = keepRecentExecutions(store)
    await journal.commit({ executions: [writeOf('x1', types(1))] })
    await store.journal.commit({ executions: [writeOf('x1', types(1, 1), 1)] })
    const { conflicts } = await journal.commit({
      executions: [writeOf('x1', types(1, 9), 1)],
    })
    expect(conflicts).toEqual(['x1'])
    expect((await journal.read('x1')).map(({ event }) => event.payload)).toEqual([{ n: 0 }, { n: 1 }])
  })
})
