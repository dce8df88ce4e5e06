import { describe, expect, it } from 'vitest'
import { IMPLEMENTATIONS, writeOf } from './contract-fixtures'

const pipeline = (type: string) => ({
  type: `pipeline.${type}`,
  entityType: 'pipeline' as const,
  entityId: 'p',
})
const task = (type: string, entityId: string) => ({ type, entityType: 'task' as const, entityId })
const external = (type: string, entityId: string) => ({ type, entityType: 'external' as const, entityId })
const writes = (...names: string[]) => names.map((name) => ({ name, value: name }))

describe.each(IMPLEMENTATIONS)('what a reset has superseded: $name', ({ open }) => {
  /** A run that failed at its gate and is run again from there; `keep` and the events of the outside go on counting. */
  async function filled() {
    const store = await open()
    const first = [
      { ...pipeline('created'), variables: writes('pipeline.input.a', 'system.started_at', 'pipeline/old') },
      pipeline('started'),
      { type: 'keep.completed', variables: writes('keep.v') },
      external('external.ready', 'ready'),
      external('external.gate', 'gate'),
      { type: 'gate.waiting' },
      external('external.gate.rejected', 'gate'),
      { type: 'gate.failed', variables: writes('gate.decision', 'gate/0.decision') },
      task('gate.task.started', 'gate'),
      external('external.keep.approved', 'keep.approved'),
      { ...pipeline('failed'), variables: writes('pipeline.output.a') },
      pipeline('closed'),
    ]
    await store.journal.commit({ executions: [writeOf('x1', first), writeOf('x2', first)] })
    const again = [
      pipeline('restarted'),
      { type: 'gate.reset', generation: 2 },
      pipeline('started'),
      { type: 'gate.waiting', generation: 2 },
    ]
    await store.journal.commit({ executions: [writeOf('x1', again, 12)] })
    return store
  }
  const gone = [6, 7, 8, 9, 11, 12]

  it('[R-54] [R-64] lists leave it out, or mark it when it is asked for', async () => {
    await using store = await filled()
    const counting = await store.events.query('x1', {})
    expect(counting.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 10, 13, 14, 15, 16])
    expect(counting.some((event) => 'superseded' in event)).toBe(false)
    const all = await store.events.query('x1', { superseded: true })
    expect(all.map(({ seq }) => seq)).toEqual(Array.from({ length: 16 }, (_, index) => index + 1))
    expect(all.filter((event) => event.superseded === true).map(({ seq }) => seq)).toEqual(gone)
    const filtered = { types: ['gate.*'], entityType: 'node', superseded: true, after: 6, limit: 2 }
    expect(
      (await store.events.query('x1', filtered)).map(({ seq, superseded }) => [seq, superseded]),
    ).toEqual([
      [8, true],
      [14, undefined],
    ])
    expect(await store.events.query('x2', {})).toHaveLength(12)
  })

  it('[R-54] [R-64] has and get do not see it unless they are asked to', async () => {
    await using store = await filled()
    const { events } = store
    for (const type of ['gate.failed', 'external.gate.rejected', 'gate.task.started', 'pipeline.closed']) {
      expect(await events.has('x1', type), type).toBe(false)
      expect(await events.get('x1', type), type).toBeNull()
      expect(await events.has('x1', type, { superseded: true }), type).toBe(true)
      expect(await events.get('x1', type, { superseded: true }), type).toMatchObject({ superseded: true })
      expect(await events.has('x2', type), type).toBe(true)
    }
    expect((await events.get('x1', 'gate.waiting', { which: 'first' }))?.seq).toBe(16)
    expect((await events.get('x1', 'gate.waiting', { which: 'first', superseded: true }))?.seq).toBe(6)
    expect(await events.has('x1', 'external.keep.approved')).toBe(true)
  })

  it('[R-64] variables that it wrote are hidden until they are written again', async () => {
    await using store = await filled()
    const names = async () => (await store.variables.list('x1')).map(({ name }) => name)
    const kept = ['keep.v', 'pipeline.input.a', 'pipeline/old', 'system.started_at']
    expect(await names()).toEqual(kept)
    expect(await store.variables.get('x1', 'gate.decision')).toBeNull()
    expect(await store.variables.exists('x1', 'pipeline.output.a')).toBe(false)
    expect(await store.variables.exists('x2', 'gate.decision')).toBe(true)
    const end = {
      type: 'gate.completed',
      generation: 2,
      variables: [{ name: 'gate.decision', value: 'yes' }],
    }
    await store.journal.commit({ executions: [writeOf('x1', [end], 16)] })
    expect(await store.variables.get('x1', 'gate.decision')).toEqual({
      name: 'gate.decision',
      value: 'yes',
      seq: 17,
    })
    expect(await names()).toEqual(['gate.decision', ...kept])
  })

  it('[R-64] the journal itself keeps everything, unmarked', async () => {
    await using store = await filled()
    const entries = await store.journal.read('x1')
    expect(entries).toHaveLength(16)
    expect(entries.some(({ event }) => 'superseded' in event)).toBe(false)
  })

  it('[R-63] [R-64] a rollback of a run that was over supersedes how it had ended, and a restart the rollback', async () => {
    await using store = await open()
    const first = [pipeline('created'), pipeline('verifying'), pipeline('completed'), pipeline('closed')]
    await store.journal.commit({ executions: [writeOf('x1', first)] })
    const rolled = [
      pipeline('rolling_back'),
      { type: 'a.rollback.started', entityType: 'rollback' as const, entityId: 'a' },
      pipeline('rolled_back'),
    ]
    await store.journal.commit({ executions: [writeOf('x1', rolled, 4)] })
    const counting = async () => (await store.events.query('x1', {})).map(({ seq }) => seq)
    expect(await counting()).toEqual([1, 2, 5, 6, 7])
    expect(await store.events.has('x1', 'pipeline.completed')).toBe(false)
    await store.journal.commit({
      executions: [writeOf('x1', [pipeline('restarted'), { type: 'a.reset', generation: 2 }], 7)],
    })
    expect(await counting()).toEqual([1, 8, 9])
  })
})
