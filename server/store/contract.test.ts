import { describe, expect, it } from 'vitest'
import type { Json } from '@/core/engine/event'
import { IMPLEMENTATIONS, NO_OWNER, eventOf, rowOf, T0, writeOf } from './contract-fixtures'

describe.each(IMPLEMENTATIONS)('the journal in $name', ({ open }) => {
  it('[E-1][R-92] gives back every event exactly as it was committed, in order of seq', async () => {
    await using store = await open()
    const write = writeOf('x1', [
      {
        type: 'pipeline.created',
        entityType: 'pipeline',
        entityId: 'report',
        actor: 'ada',
        actorId: 'usr_1',
      },
      { type: 'pipeline.paused', entityType: 'pipeline', entityId: 'report', actor: 'bob' },
      {
        type: 'fetch.task.completed',
        entityType: 'task',
        entityId: 'fetch',
        generation: 3,
        attempt: 2,
        item: 0,
        payload: { nested: { list: [1, null, 'ü\u0000\ud800'], 'a"b': false }, float: 0.1 },
      },
      { type: 'external.warehouse.loaded', entityType: 'external', entityId: 'warehouse', at: 0 },
    ])
    expect(await store.journal.commit({ executions: [write] })).toEqual({ conflicts: [] })
    const entries = await store.journal.read('x1')
    expect(entries).toEqual(write.entries)
    expect(entries.map(({ event }) => Object.keys(event))).toEqual(
      write.entries.map(({ event }) => Object.keys(event)),
    )
    expect(entries.map(({ event }) => event.id)).toEqual(['x1.1', 'x1.2', 'x1.3', 'x1.4'])
  })

  it('[N-1][N-2][N-16] equal types and names in two executions are unrelated facts', async () => {
    await using store = await open()
    const value = (n: number) => [{ name: 'fetch.rows', value: n }]
    await store.journal.commit({
      executions: [
        writeOf('x1', ['pipeline.started', { type: 'fetch.completed', variables: value(1) }]),
        writeOf('x2', [{ type: 'fetch.completed', payload: { of: 2 }, variables: value(2) }]),
      ],
    })
    expect((await store.events.get('x1', 'fetch.completed'))?.seq).toBe(2)
    expect((await store.events.get('x2', 'fetch.completed'))?.payload).toEqual({ of: 2 })
    expect(await store.events.has('x2', 'pipeline.started')).toBe(false)
    expect((await store.variables.get('x1', 'fetch.rows'))?.value).toBe(1)
    expect((await store.variables.get('x2', 'fetch.rows'))?.value).toBe(2)
    expect(await store.journal.read('x3')).toEqual([])
  })

  it('[N-3][N-5] variables of every namespace can be written, read, asked for and listed', async () => {
    await using store = await open()
    const values: readonly (readonly [string, Json])[] = [
      ['pipeline.input.station', 'seattle'],
      ['pipeline.output.report', { path: '/a', tags: ['x', null] }],
      ['fetch.rows', 12],
      ['system.execution_id', 'x1'],
      ['system.started_at', null],
      ['fetch.ok', false],
    ]
    const variables = values.map(([name, value]) => ({ name, value }))
    await store.journal.commit({ executions: [writeOf('x1', [{ type: 'fetch.completed', variables }])] })
    for (const [name, value] of values) {
      expect(await store.variables.get('x1', name)).toEqual({ name, value, seq: 1 })
      expect(await store.variables.exists('x1', name)).toBe(true)
    }
    expect(await store.variables.exists('x1', 'fetch')).toBe(false)
    expect(await store.variables.get('x1', 'fetch.row')).toBeNull()
    expect((await store.variables.list('x1')).map(({ name }) => name)).toEqual(
      values.map(([name]) => name).sort(),
    )
    // a fold sees the writes of an event in the order in which they were decided
    const [entry] = await store.journal.read('x1')
    expect(entry?.variables).toEqual(variables)
  })

  it('[N-2][R-7] the write with the greatest seq is the value of a variable', async () => {
    await using store = await open()
    const write = (value: Json) => ({ type: 'a.completed', variables: [{ name: 'a.out', value }] })
    await store.journal.commit({ executions: [writeOf('x1', [write('old'), write('mid')])] })
    await store.journal.commit({ executions: [writeOf('x1', [write('new'), 'b.started'], 2)] })
    expect(await store.variables.get('x1', 'a.out')).toEqual({ name: 'a.out', value: 'new', seq: 3 })
    expect(await store.variables.list('x1')).toEqual([{ name: 'a.out', value: 'new', seq: 3 }])
  })

  it.each(['', 'x'.repeat(300)])('[N-6][N-7][E-11] no question without an execution id (%#)', async (id) => {
    await using store = await open()
    const refusal = { code: 'missing_execution_id' }
    await expect(store.events.has(id, 'a.completed')).rejects.toMatchObject(refusal)
    await expect(store.events.get(id, 'a.completed')).rejects.toMatchObject(refusal)
    await expect(store.events.query(id, {})).rejects.toMatchObject(refusal)
    await expect(store.variables.get(id, 'a.b')).rejects.toMatchObject(refusal)
    await expect(store.variables.exists(id, 'a.b')).rejects.toMatchObject(refusal)
    await expect(store.variables.list(id)).rejects.toMatchObject(refusal)
    await expect(store.journal.read(id)).rejects.toMatchObject(refusal)
    await expect(store.journal.commit({ executions: [writeOf(id, ['a.completed'])] })).rejects.toMatchObject(
      refusal,
    )
    await expect(store.logs.read(id, 'a', { limit: 1 })).rejects.toMatchObject(refusal)
  })

  it('[E-9][E-10][N-7] the stores answer questions about one execution and can do nothing else', async () => {
    await using store = await open()
    expect(Object.keys(store.journal).sort()).toEqual(['claim', 'commit', 'read'])
    expect(Object.keys(store.events).sort()).toEqual(['get', 'has', 'query'])
    expect(Object.keys(store.variables).sort()).toEqual(['exists', 'get', 'list'])
    expect(
      Object.keys(store.executions).filter((name) => /set|put|insert|update|delete|remove/i.test(name)),
    ).toEqual([])
  })

  it('[N-14] many executions of one definition end with disjoint events and variables', async () => {
    await using store = await open()
    const ids = Array.from({ length: 25 }, (_, at) => `x${at}`)
    const step = async (id: string, seq: number) =>
      store.journal.commit({
        executions: [
          writeOf(id, [{ type: `n${seq}.completed`, variables: [{ name: `n${seq}.id`, value: id }] }], seq),
        ],
      })
    await Promise.all(
      ids.map(async (id) => {
        for (let seq = 0; seq < 8; seq += 1) await step(id, seq)
      }),
    )
    for (const id of ids) {
      const entries = await store.journal.read(id)
      expect(entries.map(({ event }) => event.seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
      expect((await store.variables.list(id)).map(({ value }) => value)).toEqual(Array(8).fill(id))
    }
  })

  it('[E-3][E-4] a write that goes on where nothing is, or leaves a gap, or repeats, is a conflict', async () => {
    await using store = await open()
    await store.journal.commit({ executions: [writeOf('x1', ['a.started', 'b.started'])] })
    for (const expectedSeq of [0, 1, 3]) {
      const executions = [writeOf('x1', ['c.started'], expectedSeq)]
      expect(await store.journal.commit({ executions })).toEqual({ conflicts: ['x1'] })
    }
    const unknown = [writeOf('nobody', ['c.started'], 7)]
    expect(await store.journal.commit({ executions: unknown })).toEqual({ conflicts: ['nobody'] })
    expect((await store.journal.read('x1')).length).toBe(2)
    expect(await store.journal.read('nobody')).toEqual([])
  })

  it('only the latest engine that claimed the store may write', async () => {
    await using store = await open()
    const { journal } = store
    const by = (owner: string, epoch: number, id: string) =>
      journal.commit({
        executions: [{ ...writeOf(id, ['a.started']), owner, epoch }],
        statistics: [{ pipelineId: id, nodeId: 'a', completed: 1, failed: 0, durations: [1] }],
      })
    expect(await journal.claim('one')).toBe(1)
    expect(await by('one', 1, 'x1')).toEqual({ conflicts: [] })
    expect(await journal.claim('two')).toBe(2)
    const owned = { ownedBy: { owner: 'two', epoch: 2 } }
    expect(await by('one', 1, 'x2')).toEqual({ conflicts: ['x2'], ...owned })
    expect(await by('one', 2, 'x2')).toEqual({ conflicts: ['x2'], ...owned })
    expect(await by('two', 1, 'x2')).toEqual({ conflicts: ['x2'], ...owned })
    expect(await by('', 0, 'x2')).toEqual({ conflicts: ['x2'], ...owned })
    expect(await journal.read('x2')).toEqual([])
    expect(await store.statistics.ofPipeline('x2')).toEqual([])
    expect(await by('two', 2, 'x2')).toEqual({ conflicts: [] })
    expect(await journal.claim('one')).toBe(3)
    expect(await by('two', 2, 'x3')).toMatchObject({ conflicts: ['x3'] })
  })

  it('[R-2] a conflict takes nothing of its own execution and everything of the others', async () => {
    await using store = await open()
    await store.journal.commit({ executions: [writeOf('x2', ['a.started'])] })
    const late = {
      ...writeOf('x2', [{ type: 'a.completed', variables: [{ name: 'a.out', value: 1 }] }], 0),
      row: rowOf('x2', { status: 'completed' }),
      idempotency: [{ scope: 's', key: 'late', requestDigest: 'd', answer: {} }],
      approvalsOpened: [
        { executionId: 'x2', nodeId: 'gate', pipelineId: 'report', openedAt: 1, dueAt: null, request: {} },
      ],
    }
    const { conflicts } = await store.journal.commit({
      executions: [writeOf('x1', ['a.started']), late, writeOf('x3', ['a.started', 'b.started'])],
      statistics: [{ pipelineId: 'report', nodeId: 'a', completed: 1, failed: 0, durations: [5] }],
    })
    expect(conflicts).toEqual(['x2'])
    expect((await store.journal.read('x1')).length).toBe(1)
    expect((await store.journal.read('x2')).map(({ event }) => event.type)).toEqual(['a.started'])
    expect((await store.journal.read('x3')).length).toBe(2)
    expect(await store.variables.list('x2')).toEqual([])
    expect((await store.executions.get('x2'))?.status).toBe('running')
    expect(await store.idempotency.find('s', 'late')).toBeNull()
    expect(await store.approvals.count()).toBe(0)
    expect((await store.statistics.ofPipeline('report')).length).toBe(1)
  })

  it('one batch may carry an execution several times; after a conflict none of its later writes counts', async () => {
    await using store = await open()
    const twice = [writeOf('x1', ['a.started']), writeOf('x1', ['a.completed', 'b.started'], 1)]
    expect(await store.journal.commit({ executions: twice })).toEqual({ conflicts: [] })
    expect((await store.journal.read('x1')).map(({ event }) => event.seq)).toEqual([1, 2, 3])
    const broken = [writeOf('x1', ['c.started'], 2), writeOf('x1', ['d.started'], 3)]
    expect(await store.journal.commit({ executions: broken })).toEqual({ conflicts: ['x1'] })
    expect((await store.journal.read('x1')).length).toBe(3)
  })

  it('of two writers at the same seq exactly one wins', async () => {
    await using store = await open()
    const writes = Array.from({ length: 10 }, (_, at) => writeOf('x1', [`n${at}.started`]))
    const results = await Promise.all(writes.map((write) => store.journal.commit({ executions: [write] })))
    expect(results.filter(({ conflicts }) => conflicts.length === 0).length).toBe(1)
    expect((await store.journal.read('x1')).length).toBe(1)
  })

  it('[R-4][E-12] a reader who sees an event sees its variables and its row, at any moment', async () => {
    await using store = await open()
    const seen: string[] = []
    const look = async (): Promise<void> => {
      const there = await store.events.has('x1', 'a.completed')
      const value = await store.variables.get('x1', 'a.out')
      if (there) seen.push(value === null ? 'event alone' : 'both')
    }
    const write = writeOf('x1', [{ type: 'a.completed', variables: [{ name: 'a.out', value: 1 }] }])
    const commit = store.journal.commit({ executions: [write] })
    await Promise.all([look(), commit, look()])
    await look()
    expect(seen.at(-1)).toBe('both')
    expect(seen).not.toContain('event alone')
    expect(await store.executions.get('x1')).toEqual(rowOf('x1'))
  })

  it('[R-3] what a commit answered is there for every later read, also in ranges', async () => {
    await using store = await open()
    const types = Array.from({ length: 50 }, (_, at) => ({
      type: `n${at}.completed`,
      variables: [{ name: `n${at}.x`, value: at }],
    }))
    const write = writeOf('x1', types)
    await store.journal.commit({ executions: [write] })
    expect(await store.journal.read('x1', { after: 10, limit: 5 })).toEqual(write.entries.slice(10, 15))
    expect(await store.journal.read('x1', { after: 45 })).toEqual(write.entries.slice(45))
    expect(await store.journal.read('x1', { after: 50 })).toEqual([])
  })

  it('[N-12] what is stored cannot be changed by changing what was given or what was read', async () => {
    await using store = await open()
    const list = [1]
    const write = writeOf('x1', [
      { type: 'a.completed', payload: { list }, variables: [{ name: 'a.out', value: list }] },
    ])
    await store.journal.commit({ executions: [write] })
    list.push(2)
    const read = (await store.variables.get('x1', 'a.out'))?.value as number[]
    read.push(3)
    expect((await store.variables.get('x1', 'a.out'))?.value).toEqual([1])
    expect((await store.events.get('x1', 'a.completed'))?.payload).toEqual({ list: [1] })
  })

  it('[R-73] an idempotency key is stored by its commit, and then taken for every caller', async () => {
    await using store = await open()
    const record = { scope: 'start:report', key: 'k1', requestDigest: 'aa', answer: { execution_id: 'x1' } }
    const first = { ...writeOf('x1', ['pipeline.created']), idempotency: [record] }
    await store.journal.commit({ executions: [first] })
    expect(await store.idempotency.find('start:report', 'k1')).toEqual(record)
    expect(await store.idempotency.find('start:other', 'k1')).toBeNull()
    expect(await store.idempotency.save({ ...record, answer: 'another' })).toBe(false)

    const second = { ...writeOf('x2', ['pipeline.created']), idempotency: [record] }
    expect(await store.journal.commit({ executions: [second] })).toEqual({ conflicts: ['x2'] })
    expect(await store.executions.get('x2')).toBeNull()

    const twins = ['x3', 'x4'].map((id) => ({
      ...writeOf(id, ['pipeline.created']),
      idempotency: [{ ...record, key: 'k2', answer: id }],
    }))
    expect(await store.journal.commit({ executions: twins })).toEqual({ conflicts: ['x4'] })
    expect((await store.idempotency.find('start:report', 'k2'))?.answer).toBe('x3')
    expect(await store.idempotency.save({ ...record, key: 'k3', answer: null })).toBe(true)
  })

  it.each([
    ['a hole between seqs', [eventOf('x1', 1, { type: 'a.b' }), eventOf('x1', 3, { type: 'a.b' })]],
    ['an event of another execution', [eventOf('x2', 1, { type: 'a.b' })]],
    ['an id that is not its own', [{ ...eventOf('x1', 1, { type: 'a.b' }), id: 'x1.2' }]],
    [
      'a timestamp that would not come back',
      [{ ...eventOf('x1', 1, { type: 'a.b' }), timestamp: '2026-01-02' }],
    ],
    [
      'a payload over 64 KB [R-21, R-61]',
      [eventOf('x1', 1, { type: 'a.b', payload: { text: 'ü'.repeat(33_000) } })],
    ],
  ])('refuses %s, and writes nothing of the batch', async (_what, events) => {
    await using store = await open()
    const entries = events.map((event) => ({ event, variables: [] }))
    const executions = [
      writeOf('x0', ['a.started']),
      { ...NO_OWNER, executionId: 'x1', expectedSeq: 0, entries },
    ]
    await expect(store.journal.commit({ executions })).rejects.toMatchObject({ code: 'invalid_batch' })
    expect(await store.journal.read('x0')).toEqual([])
    expect(await store.journal.commit({ executions: [writeOf('x0', ['a.started'])] })).toEqual({
      conflicts: [],
    })
  })
})

describe.each(IMPLEMENTATIONS)('questions to the events in $name', ({ open }) => {
  async function filled() {
    const store = await open()
    await store.journal.commit({
      executions: [
        writeOf('x1', [
          { type: 'pipeline.started', entityType: 'pipeline', entityId: 'report' },
          { type: 'fetch.started' },
          { type: 'fetch.task.completed', entityType: 'task', entityId: 'fetch' },
          { type: 'fetch.completed', payload: { try: 1 } },
          { type: 'external.data_ready', entityType: 'external', entityId: 'data_ready' },
          { type: 'external.crm.data_ready', entityType: 'external', entityId: 'crm' },
          { type: 'fetch.completed', payload: { try: 2 } },
          { type: 'pipeline.completed', entityType: 'pipeline', entityId: 'report' },
        ]),
        writeOf('x2', ['fetch.completed', 'other.completed']),
      ],
    })
    return store
  }

  it('[E-2][E-5] has is true for exactly the types that are there', async () => {
    await using store = await filled()
    expect(await store.events.has('x1', 'external.data_ready')).toBe(true)
    expect(await store.events.has('x1', 'external.crm.data_ready')).toBe(true)
    expect(await store.events.has('x1', 'other.completed')).toBe(false)
    for (const type of [
      'fetch',
      'fetch.complete',
      'fetch.*',
      '*',
      'fetch.completed.',
      'FETCH.COMPLETED',
      '',
    ]) {
      expect(await store.events.has('x1', type)).toBe(false)
    }
  })

  it('[E-6][R-2] get gives the latest of a type, or the first when asked, or null', async () => {
    await using store = await filled()
    expect((await store.events.get('x1', 'fetch.completed'))?.payload).toEqual({ try: 2 })
    expect((await store.events.get('x1', 'fetch.completed', { which: 'first' }))?.payload).toEqual({ try: 1 })
    expect(await store.events.get('x1', 'other.completed')).toBeNull()
  })

  it.each([
    [{ types: ['*.completed'] }, [4, 7, 8]],
    [{ types: ['*.completed'], entityType: 'node' }, [4, 7]],
    [{ types: ['*.task.*'] }, [3]],
    [{ types: ['external.*'] }, [5]],
    [{ types: ['external.*.*'] }, [6]],
    [{ types: ['*'] }, []],
    [{ types: ['*.*.*.*'] }, []],
    [{ types: ['fetch*.completed', 'f?tch.completed', '[f]etch.completed'] }, []],
    [{ types: ['fetch.started', 'pipeline.*'] }, [1, 2, 8]],
    [{ types: ['fetch.started', 'pipeline.started'] }, [1, 2]],
    [{ types: ['fetch.started'] }, [2]],
    [{ types: [] }, [1, 2, 3, 4, 5, 6, 7, 8]],
    [{ entityType: 'task' }, [3]],
    [{ entityId: 'fetch' }, [2, 3, 4, 7]],
    [{ from: T0 + 3, to: T0 + 5 }, [3, 4, 5]],
    [{ after: 6 }, [7, 8]],
    [{ after: 2, limit: 3 }, [3, 4, 5]],
    [{ types: ['*.completed'], entityId: 'fetch', from: T0 + 5, after: 4 }, [7]],
  ])('[E-7][E-O1][R-34] %j finds %j', async (filter, seqs) => {
    await using store = await filled()
    const found = await store.events.query('x1', filter)
    expect(found.map(({ seq }) => seq)).toEqual(seqs)
    expect(found.every(({ execution_id }) => execution_id === 'x1')).toBe(true)
  })

  it.each([
    [{ limit: 0 }, 'invalid_limit'],
    [{ limit: 1.5 }, 'invalid_limit'],
    [{ limit: 10_001 }, 'invalid_limit'],
    [{ types: ['x'.repeat(600)] }, 'invalid_filter'],
    [{ types: Array<string>(101).fill('a.b') }, 'invalid_filter'],
  ])('[R-61] a question past its limits is refused (%#)', async (filter, code) => {
    await using store = await filled()
    await expect(store.events.query('x1', filter)).rejects.toMatchObject({ code })
  })
})
