import { describe, expect, it } from 'vitest'
import type { ExecutionRow } from '@/server/ports/journal'
import type { ExecutionFilter, LogLine } from '@/server/ports/registry'
import { IMPLEMENTATIONS, rowOf, T0, writeOf } from './contract-fixtures'
import { LOG_LINE_MAX } from './log-lines'
import type { Store } from './store'

async function addExecution(store: Store, id: string, changes: Partial<ExecutionRow>): Promise<void> {
  const write = { ...writeOf(id, ['pipeline.created']), row: rowOf(id, changes) }
  await store.journal.commit({ executions: [write] })
}

async function allPages(store: Store, filter: Omit<ExecutionFilter, 'cursor'>): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | null = null
  do {
    const page = await store.executions.list(cursor === null ? filter : { ...filter, cursor })
    expect(page.items.length).toBeLessThanOrEqual(filter.limit)
    ids.push(...page.items.map((row) => row.executionId))
    cursor = page.nextCursor
  } while (cursor !== null)
  return ids
}

describe.each(IMPLEMENTATIONS)('the registry of executions in $name', ({ open }) => {
  it('[R-18] gives back the row of the latest commit, but keeps what the execution was born with', async () => {
    await using store = await open()
    const born = rowOf('x1', { labels: { team: 'data' }, nextWakeAt: T0 + 5 })
    await store.journal.commit({ executions: [{ ...writeOf('x1', ['pipeline.created']), row: born }] })
    expect(await store.executions.get('x1')).toEqual(born)
    const ended = rowOf('x1', {
      status: 'failed',
      lifecycle: 'FAILED',
      startedAt: T0 + 1,
      finishedAt: T0 + 2,
      closedAt: T0 + 3,
      error: { kind: 'task_failed', message: 'no' },
      waitingFor: 'approval of g',
      labels: { team: 'other' },
      inputs: { n: 'other' },
      requestedBy: 'eve',
      requestedById: 'usr_eve',
    })
    await store.journal.commit({ executions: [{ ...writeOf('x1', ['pipeline.failed'], 1), row: ended }] })
    expect(await store.executions.get('x1')).toEqual({
      ...ended,
      labels: { team: 'data' },
      inputs: {},
      requestedBy: 'ada',
      requestedById: 'usr_ada',
    })
    expect(await store.executions.get('x2')).toBeNull()
  })

  it('[R-18] lists newest first, page by page, under every filter', async () => {
    await using store = await open()
    const statuses = ['running', 'waiting', 'failed'] as const
    const rows = Array.from({ length: 30 }, (_, at) => ({
      id: `x${String(at).padStart(2, '0')}`,
      // three share each instant: the id decides among them
      createdAt: T0 + Math.floor(at / 3) * 1000,
      status: statuses[at % 3] ?? 'running',
      pipelineId: at % 2 === 0 ? 'even' : 'odd',
      revision: 1 + (at % 4),
      requestedBy: at % 3 === 0 ? 'eve' : 'usr_ada',
      requestedById: at % 2 === 0 ? 'usr_ada' : null,
      startedAt: at % 5 === 0 ? null : T0 + at * 1000,
      finishedAt: at % 7 === 0 ? null : T0 + at * 2000,
      inputs: { city: at % 6 === 0 ? 'Zürich' : `100% ${at}` },
      error: at % 10 === 0 ? { kind: 'task_failed', message: 'No such file' } : null,
      labels: at % 5 === 0 ? { team: 'data', '"odd.key': 'ü' } : { team: `t${at % 2}` },
    }))
    for (const { id, ...changes } of rows) await addExecution(store, id, changes)
    const newest = rows.toReversed()
    type Row = (typeof rows)[number]
    const took = (row: Row) => (row.finishedAt ?? T0 + 40_000) - (row.startedAt ?? row.createdAt)
    const cases: readonly [Omit<ExecutionFilter, 'limit'>, (row: Row) => boolean][] = [
      [{}, () => true],
      [{ pipelineId: 'odd' }, (row) => row.pipelineId === 'odd'],
      [{ statuses: ['failed'] }, (row) => row.status === 'failed'],
      [{ statuses: ['failed', 'waiting', 'failed'] }, (row) => row.status !== 'running'],
      [{ statuses: [] }, () => true],
      [{ label: { key: 'team', value: 'data' } }, (row) => row.labels.team === 'data'],
      [{ label: { key: '"odd.key', value: 'ü' } }, (row) => row.labels.team === 'data'],
      [{ label: { key: '__proto__', value: 'data' } }, () => false],
      [{ from: T0 + 2000, to: T0 + 5000 }, (row) => row.createdAt >= T0 + 2000 && row.createdAt <= T0 + 5000],
      [{ pipelineId: 'odd', revision: 2 }, (row) => row.pipelineId === 'odd' && row.revision === 2],
      [{ requestedBy: 'eve' }, (row) => row.requestedBy === 'eve'],
      [{ requestedBy: 'usr_ada' }, (row) => row.requestedBy === 'usr_ada' || row.requestedById === 'usr_ada'],
      [{ requestedBy: 'nobody' }, () => false],
      [
        { requestedBy: 'usr_ada', statuses: ['waiting'] },
        (row) => row.status === 'waiting' && (row.requestedBy === 'usr_ada' || row.requestedById !== null),
      ],
      [{ text: 'ZÜRICH  eve' }, (row) => row.inputs.city === 'Zürich' && row.requestedBy === 'eve'],
      [{ text: '0%' }, (row) => row.inputs.city !== 'Zürich'],
      [{ text: 'x0 even' }, (row) => row.id.startsWith('x0') && row.pipelineId === 'even'],
      [{ text: 'such team:t1' }, (row) => row.error !== null && row.labels.team === 't1'],
      [{ text: '_' }, (row) => row.requestedBy === 'usr_ada' || row.error !== null],
      [{ took: { least: 15_000, now: T0 + 40_000 } }, (row) => took(row) >= 15_000],
      [
        { took: { least: 5_000, most: 15_000, now: T0 + 40_000 }, statuses: ['failed', 'running'] },
        (row) => took(row) >= 5_000 && took(row) <= 15_000 && row.status !== 'waiting',
      ],
      [
        {
          pipelineId: 'even',
          statuses: ['running', 'failed'],
          label: { key: 'team', value: 't0' },
          from: T0 + 1000,
        },
        (row) =>
          row.pipelineId === 'even' &&
          row.status !== 'waiting' &&
          row.labels.team === 't0' &&
          row.createdAt >= T0 + 1000,
      ],
    ]
    for (const [filter, fits] of cases) {
      const expected = newest.filter(fits).map(({ id }) => id)
      for (const limit of [1, 4, 100]) expect(await allPages(store, { ...filter, limit })).toEqual(expected)
    }
  })

  it('[R-78] an execution knows the latest of its forks, whose origin stays', async () => {
    await using store = await open()
    const born = (id: string, originId: string | null, at: number) => ({
      ...writeOf(id, ['pipeline.created']),
      row: rowOf(id, { originId, createdAt: T0 + at }),
    })
    await store.journal.commit({
      executions: [born('x0', null, 0), born('x1', 'x0', 1), born('x2', 'x0', 3), born('x3', 'x1', 2)],
    })
    await store.journal.commit({
      executions: [{ ...writeOf('x1', ['a.started'], 1), row: rowOf('x1', { status: 'failed' }) }],
    })
    const forks = (id: string, limit: number) => store.executions.forksOf(id, limit)
    expect(await forks('x0', 5)).toMatchObject([
      { executionId: 'x2', originId: 'x0' },
      { executionId: 'x1', originId: 'x0', status: 'failed' },
    ])
    expect((await forks('x0', 1)).map(({ executionId }) => executionId)).toEqual(['x2'])
    expect(await forks('x2', 5)).toEqual([])
  })

  it.each(['', 'x', 'null', 'W10', 'WyJhIiwiYiJd', '💥', 'A'.repeat(5000), 'WzEuNSwieCJd'])(
    'a cursor that it did not give out is refused (%s)',
    async (cursor) => {
      await using store = await open()
      const refusal = { code: 'invalid_cursor' }
      await expect(store.executions.list({ limit: 5, cursor })).rejects.toMatchObject(refusal)
      await expect(store.approvals.pending({ limit: 5, cursor })).rejects.toMatchObject(refusal)
      await expect(store.pipelines.list({ limit: 5, cursor })).rejects.toMatchObject(refusal)
      await expect(store.pipelines.revisions('a', { limit: 5, cursor })).rejects.toMatchObject(refusal)
    },
  )

  it.each([0, -1, 1.5, NaN, 1_001])('a limit of %d is refused [R-61]', async (limit) => {
    await using store = await open()
    const refusal = { code: 'invalid_limit' }
    await expect(store.executions.list({ limit })).rejects.toMatchObject(refusal)
    await expect(store.approvals.pending({ limit })).rejects.toMatchObject(refusal)
    await expect(store.pipelines.list({ limit })).rejects.toMatchObject(refusal)
  })

  it('open, due and the counts see what is not closed', async () => {
    await using store = await open()
    await addExecution(store, 'x1', { nextWakeAt: T0 + 10 })
    await addExecution(store, 'x2', { nextWakeAt: T0 + 5, status: 'waiting' })
    await addExecution(store, 'x3', { nextWakeAt: T0 + 1, closedAt: T0, status: 'completed' })
    await addExecution(store, 'x4', { pipelineId: 'other' })
    const ids = (rows: readonly ExecutionRow[]) => rows.map((row) => row.executionId)
    expect(ids(await store.executions.open({ limit: 10 }))).toEqual(['x1', 'x2', 'x4'])
    expect(ids(await store.executions.open({ limit: 1, after: 'x1' }))).toEqual(['x2'])
    expect(ids(await store.executions.due(T0 + 4, 10))).toEqual([])
    expect(ids(await store.executions.due(T0 + 10, 10))).toEqual(['x2', 'x1'])
    expect(ids(await store.executions.due(T0 + 10, 1))).toEqual(['x2'])
    expect(await store.executions.countByStatus()).toEqual({ running: 2, waiting: 1, completed: 1 })
    expect(await store.executions.openCountOf('report')).toBe(2)
    expect(await store.executions.openCountOf('nothing')).toBe(0)
  })

  it('counts executions that were closed lately by slice of the time and by status', async () => {
    await using store = await open()
    const slice = Math.floor(T0 / 1_000)
    for (const [at, [closedAt, status, handledFailures = 0]] of (
      [
        [T0 - 1, 'completed'],
        [T0, 'completed'],
        [slice * 1_000 + 999, 'completed', 2],
        [T0, 'failed'],
        [T0 + 1_000, 'failed'],
        [null, 'running'],
      ] as const
    ).entries())
      await addExecution(store, `x${at}`, { closedAt, status, handledFailures })
    expect(await store.executions.closedSince(T0, 1_000)).toEqual([
      { slice, status: 'completed', count: 2, handled: 1 },
      { slice, status: 'failed', count: 1, handled: 0 },
      { slice: slice + 1, status: 'failed', count: 1, handled: 0 },
    ])
  })
})

describe.each(IMPLEMENTATIONS)('what hangs on executions in $name', ({ open }) => {
  it('approvals open and close with their commits, the longest waiting first', async () => {
    await using store = await open()
    const opened = (executionId: string, nodeId: string, openedAt: number) => ({
      executionId,
      nodeId,
      pipelineId: 'report',
      openedAt,
      dueAt: nodeId === 'b' ? T0 + 9 : null,
      request: { message: `${executionId} ${nodeId}`, approvers: ['role:approver'] },
    })
    const waiting = [opened('x2', 'a', T0), opened('x1', 'a', T0 + 1), opened('x1', 'b', T0 + 1)]
    for (const id of ['x1', 'x2']) {
      const approvalsOpened = waiting.filter((it) => it.executionId === id)
      await store.journal.commit({ executions: [{ ...writeOf(id, ['gate.waiting']), approvalsOpened }] })
    }
    expect(await store.approvals.pending({ limit: 10 })).toEqual({ items: waiting, nextCursor: null })
    const first = await store.approvals.pending({ limit: 2 })
    const second = await store.approvals.pending({ limit: 2, cursor: first.nextCursor ?? '' })
    expect([...first.items, ...second.items]).toEqual(waiting)
    expect((await store.approvals.pending({ limit: 9, executionId: 'x1' })).items).toEqual(waiting.slice(1))
    const closing = { ...writeOf('x1', ['a.approved'], 1), approvalsClosed: ['a'] }
    await store.journal.commit({ executions: [closing] })
    expect((await store.approvals.pending({ limit: 9 })).items.map(({ nodeId }) => nodeId)).toEqual([
      'a',
      'b',
    ])
    expect(await store.approvals.count()).toBe(2)
  })

  it('statistics are the latest that a commit carried', async () => {
    await using store = await open()
    const of = (nodeId: string, completed: number) => ({
      pipelineId: 'report',
      nodeId,
      completed,
      failed: 1,
      durations: [completed, 2.5],
    })
    await store.journal.commit({ executions: [], statistics: [of('b', 1), of('a', 1)] })
    await store.journal.commit({ executions: [], statistics: [of('b', 2)] })
    expect(await store.statistics.ofPipeline('report')).toEqual([of('a', 1), of('b', 2)])
    expect(await store.statistics.ofPipeline('other')).toEqual([])
  })

  it('log lines are numbered per node in the order of their arrival', async () => {
    await using store = await open()
    const line = (nodeId: string, text: string, attempt = 1, item: number | null = null) =>
      ({ executionId: 'x1', nodeId, generation: 1, attempt, item, at: T0, stream: 'stdout', text }) as const
    await Promise.all([
      store.logs.append([line('a', 'one'), line('b', 'uno'), line('a', 'two')]),
      store.logs.append([line('a', 'three', 2)]),
      store.logs.append([line('a', 'four', 2, 0), line('a', 'five', 2, 1)]),
    ])
    await store.logs.append([line('a', 'six')])
    const read = (range: Parameters<typeof store.logs.read>[2]) => store.logs.read('x1', 'a', range)
    const texts = (lines: readonly LogLine[]) => lines.map(({ n, text }) => `${n} ${text}`)
    const all = await read({ limit: 100 })
    expect(texts(all)).toEqual(['1 one', '2 two', '3 three', '4 four', '5 five', '6 six'])
    expect(all[3]).toEqual({ ...line('a', 'four', 2, 0), n: 4 })
    expect(texts(await read({ limit: 2, after: 2 }))).toEqual(['3 three', '4 four'])
    expect(texts(await read({ limit: 9, attempt: 2 }))).toEqual(['3 three', '4 four', '5 five'])
    expect(texts(await read({ limit: 9, attempt: 2, item: 0 }))).toEqual(['4 four'])
    expect(texts(await store.logs.read('x1', 'b', { limit: 9 }))).toEqual(['1 uno'])
    expect(await store.logs.read('x2', 'a', { limit: 9 })).toEqual([])
  })

  it('[R-61] an endless log line is cut where everybody can see it', async () => {
    await using store = await open()
    const text = 'x'.repeat(LOG_LINE_MAX + 5)
    const line = { executionId: 'x1', nodeId: 'a', generation: 1, attempt: 1, item: null, at: T0, text }
    await store.logs.append([{ ...line, stream: 'stderr' }])
    const [kept] = await store.logs.read('x1', 'a', { limit: 1 })
    expect(kept?.text).toBe(`${'x'.repeat(LOG_LINE_MAX)} [cut: ${text.length} characters]`)
  })

  it('[R-57] refused results are a record, in order, and no event', async () => {
    await using store = await open()
    const refusal = (token: number, item: number | null) => ({
      executionId: 'x1',
      nodeId: 'a',
      generation: 1,
      attempt: 2,
      item,
      token,
      reason: 'an older token',
      at: T0 + token,
    })
    for (const result of [refusal(2, null), refusal(1, 0)]) await store.attempts.refused(result)
    expect(await store.attempts.listRefused('x1', 'a')).toEqual([refusal(2, null), refusal(1, 0)])
    expect(await store.attempts.listRefused('x1', 'b')).toEqual([])
    expect(await store.journal.read('x1')).toEqual([])
  })

  it('rows of artifacts belong to their execution', async () => {
    await using store = await open()
    const row = (artifactId: string, createdAt: number) => ({
      artifactId,
      executionId: 'x1',
      nodeId: 'a',
      name: 'rows.csv',
      contentType: 'text/csv',
      bytes: 5_000_000_000,
      digest: 'ab'.repeat(32),
      createdAt,
    })
    await store.artifactRows.insert(row('a2', T0))
    await store.artifactRows.insert(row('a1', T0))
    await store.artifactRows.insert(row('a0', T0 + 1))
    expect(await store.artifactRows.get('x1', 'a2')).toEqual(row('a2', T0))
    expect(await store.artifactRows.get('x2', 'a2')).toBeNull()
    expect((await store.artifactRows.list('x1')).map(({ artifactId }) => artifactId)).toEqual([
      'a1',
      'a2',
      'a0',
    ])
    expect(await store.artifactRows.list('x2')).toEqual([])
  })

  it('a store says that it can be written', async () => {
    await using store = await open()
    await expect(store.readiness()).resolves.toBeUndefined()
  })
})

describe.each(IMPLEMENTATIONS)('the rows of secrets in $name', ({ open }) => {
  it('are replaced by name, keep their birth, and show no sealed value in lists', async () => {
    await using store = await open()
    const by = { updatedBy: 'ada', updatedById: 'usr_ada' }
    const row = (name: string, sealed: string, updatedAt: number) =>
      store.secretRows.put({ name, sealed, updatedAt, ...by })
    await row('b', 'one', T0)
    await row('a', 'two', T0 + 1)
    await row('b', 'three', T0 + 2)
    expect(await store.secretRows.list()).toEqual([
      { ...by, name: 'a', createdAt: T0 + 1, updatedAt: T0 + 1 },
      { ...by, name: 'b', createdAt: T0, updatedAt: T0 + 2 },
    ])
    expect(await store.secretRows.find('b')).toMatchObject({ sealed: 'three', createdAt: T0 })
    expect(await store.secretRows.remove('b')).toBe(true)
    expect(await store.secretRows.remove('b')).toBe(false)
    expect(await store.secretRows.find('b')).toBeNull()
  })
})

describe.each(IMPLEMENTATIONS)('schedules in $name', ({ open }) => {
  const revision = (pipelineId: string, digest = 'd') => ({
    pipelineId,
    definition: { id: pipelineId },
    text: null,
    digest,
    createdAt: T0,
    createdBy: 'ada',
    createdById: 'usr_ada',
  })
  const daily = { triggerId: 'daily', cron: '0 6 * * *', timezone: 'UTC', enabled: true, nextAt: T0 + 10 }
  const hourly = { triggerId: 'hourly', cron: '@hourly', timezone: 'UTC', enabled: false, nextAt: T0 + 5 }
  const bare = (pipelineId: string, digest?: string) => ({
    name: pipelineId,
    description: null,
    labels: {},
    revision: revision(pipelineId, digest),
  })
  const last = { lastAt: null, lastExecutionId: null, lastError: null }

  it('[G-16] stand as the latest revision declares them, and go with the pipeline', async () => {
    await using store = await open()
    await store.pipelines.create({ ...bare('a'), schedules: [daily, hourly] })
    await store.pipelines.create({ ...bare('b'), schedules: [{ ...daily, nextAt: T0 + 7 }] })
    const first = { pipelineId: 'a', ...daily, active: true, ...last }
    const off = { pipelineId: 'a', ...hourly, active: false, nextAt: null, ...last }
    expect((await store.schedules.list({ limit: 10 })).items).toEqual([
      first,
      off,
      { ...first, pipelineId: 'b', nextAt: T0 + 7 },
    ])
    const page = await store.schedules.list({ limit: 1 })
    expect((await store.schedules.list({ limit: 1, cursor: page.nextCursor! })).items).toEqual([off])
    expect((await store.schedules.list({ limit: 10, pipelineId: 'b' })).items).toHaveLength(1)
    expect(await store.schedules.earliest()).toBe(T0 + 7)
    expect((await store.schedules.due(T0 + 9, 10)).map(({ pipelineId }) => pipelineId)).toEqual(['b'])
    expect((await store.schedules.due(T0 + 10, 10)).map(({ pipelineId }) => pipelineId)).toEqual(['b', 'a'])
    await store.pipelines.remove('b')
    expect(await store.schedules.get('b', 'daily')).toBeNull()
    await store.pipelines.create({ ...bare('b'), schedules: [{ ...daily, nextAt: T0 + 99 }] })
    expect(await store.schedules.get('b', 'daily')).toMatchObject({ nextAt: T0 + 99, active: true })
    await expect(store.schedules.list({ limit: 10, cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })

  it('[G-16] keep their next time and their switch over revisions that do not change the cron', async () => {
    await using store = await open()
    await store.pipelines.create({ ...bare('a'), schedules: [daily, hourly] })
    const row = (await store.schedules.get('a', 'daily'))!
    const then = { nextAt: T0 + 20, lastAt: T0 + 10, lastExecutionId: 'x1', lastError: null }
    expect(await store.schedules.fired(row, then)).toBe(true)
    expect(await store.schedules.fired(row, { ...then, lastExecutionId: 'x2' })).toBe(false)
    expect(await store.schedules.setNext('a', 'hourly', T0 + 15)).toMatchObject({
      active: true,
      nextAt: T0 + 15,
    })
    const later = (planned: object) => ({ ...planned, nextAt: T0 + 500 }) as typeof daily
    await store.pipelines.update({ ...bare('a', 'e'), schedules: [later(daily), later(hourly)] }, 1)
    expect(await store.schedules.get('a', 'daily')).toEqual({
      pipelineId: 'a',
      ...daily,
      active: true,
      ...then,
    })
    expect(await store.schedules.get('a', 'hourly')).toMatchObject({ active: true, nextAt: T0 + 15 })
    await store.pipelines.update(
      {
        ...bare('a', 'f'),
        schedules: [later({ ...daily, cron: '0 7 * * *' }), later({ ...hourly, enabled: true })],
      },
      2,
    )
    expect(await store.schedules.get('a', 'daily')).toMatchObject({ nextAt: T0 + 500, lastExecutionId: 'x1' })
    expect(await store.schedules.setNext('a', 'daily', null)).toMatchObject({ active: false, nextAt: null })
    await store.pipelines.update({ ...bare('a', 'g'), schedules: [later(daily)] }, 3)
    expect(await store.schedules.get('a', 'daily')).toMatchObject({ active: false, nextAt: null })
    expect(await store.schedules.get('a', 'hourly')).toBeNull()
    expect(await store.schedules.setNext('a', 'hourly', T0)).toBeNull()
    expect(await store.schedules.earliest()).toBeNull()
  })
})
