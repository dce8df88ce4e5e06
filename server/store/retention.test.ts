import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  disposable,
  IMPLEMENTATIONS,
  removeFolder,
  rowOf,
  T0,
  temporaryFolder,
  webhookOf,
  writeOf,
} from './contract-fixtures'
import { openStore } from './open'
import type { Store } from './store'

const closed = (executionId: string, closedAt: number | null, parentId: string | null = null) =>
  rowOf(executionId, {
    status: 'completed',
    lifecycle: 'COMMIT',
    closedAt,
    parentId,
    labels: { of: executionId },
  })

const webhook = webhookOf('w1')

/** An execution that has left something in every table. */
async function fill(
  store: Store,
  executionId: string,
  row = closed(executionId, T0),
  events = 3,
): Promise<void> {
  // There is one, and more are refused: the first fill makes it.
  await store.webhookRows.insert(webhook, 1)
  const facts = Array.from({ length: events }, (_, at) => ({
    type: 'a.task.running',
    variables: [{ name: `a.v${at}`, value: executionId }],
  }))
  const write = writeOf(executionId, facts)
  await store.journal.commit({
    executions: [
      {
        ...write,
        row,
        deliveries: write.entries.slice(0, 1).map(({ event }) => ({ webhookId: 'w1', event })),
        idempotency: [{ scope: 's', key: executionId, requestDigest: 'd', answer: {} }],
        approvalsOpened: [
          { executionId, nodeId: 'gate', pipelineId: 'report', openedAt: T0, dueAt: null, request: {} },
        ],
      },
    ],
  })
  const attempt = { executionId, nodeId: 'a', generation: 1, attempt: 1, item: null }
  await store.logs.append([{ ...attempt, at: T0, stream: 'log', text: executionId }])
  await store.attempts.refused({ ...attempt, token: 1, reason: 'late', at: T0 })
  await store.profiles.keep(executionId, events, { nodes: {} })
  await store.artifactRows.insert({
    artifactId: 'a1',
    executionId,
    nodeId: 'a',
    name: 'rows.csv',
    contentType: 'text/csv',
    bytes: 1,
    digest: 'ab'.repeat(32),
    createdAt: T0,
  })
}

/** Everything that the ports have of an execution. */
async function everythingOf(store: Store, executionId: string) {
  return {
    row: await store.executions.get(executionId),
    entries: await store.journal.read(executionId),
    variables: await store.variables.list(executionId),
    logs: await store.logs.read(executionId, 'a', { limit: 10 }),
    refused: await store.attempts.listRefused(executionId, 'a'),
    artifacts: await store.artifactRows.list(executionId),
    approvals: (await store.approvals.pending({ limit: 10, executionId })).items,
    delivery: await store.webhookRows.delivery({ webhookId: 'w1', executionId, seq: 1 }),
    key: await store.idempotency.find('s', executionId),
    listed: (await store.executions.list({ limit: 10, label: { key: 'of', value: executionId } })).items,
  }
}

const nothing = {
  row: null,
  entries: [],
  variables: [],
  logs: [],
  refused: [],
  artifacts: [],
  approvals: [],
  delivery: null,
  key: null,
  listed: [],
}

async function toTheEnd(store: Store): Promise<string[]> {
  const taken: string[] = []
  for (let step = await store.retention.step(); step !== null; step = await store.retention.step()) {
    taken.push(...step)
  }
  return taken
}

describe.each(IMPLEMENTATIONS)('removal in $name', ({ open }) => {
  it('[N-17] [E-8] [E-16] takes everything of one execution and nothing of any other', async () => {
    await using store = await open()
    for (const id of ['x1', 'x2', 'x10']) await fill(store, id)
    const others = [await everythingOf(store, 'x1'), await everythingOf(store, 'x10')]
    expect(await store.retention.begin('x2')).toBe('begun')
    expect((await everythingOf(store, 'x2')).row).toBeNull()
    await toTheEnd(store)
    expect(await everythingOf(store, 'x2')).toEqual(nothing)
    expect([await everythingOf(store, 'x1'), await everythingOf(store, 'x10')]).toEqual(others)
    expect(await store.retention.begin('x2')).toBe('missing')
  })

  it('[N-17] [R-78] what was given to an execution that never came to be goes; one that is there is not touched', async () => {
    await using store = await open()
    await fill(store, 'x1')
    const file = (await store.artifactRows.list('x1'))[0]!
    const before = await everythingOf(store, 'x1')
    await store.artifactRows.insert({ ...file, executionId: 'refused', digest: 'cd'.repeat(32) })
    await store.retention.abandon('refused')
    await store.retention.abandon('x1')
    await toTheEnd(store)
    expect(await everythingOf(store, 'refused')).toEqual(nothing)
    expect(await store.retention.unusedContents(10)).toEqual(['cd'.repeat(32)])
    expect(await everythingOf(store, 'x1')).toEqual(before)
  })

  it('[N-17] [T15] what can never close goes when that is said', async () => {
    await using store = await open()
    await fill(store, 'stuck', closed('stuck', null))
    expect(await store.retention.begin('stuck', { evenOpen: false })).toBe('open')
    expect(await store.retention.begin('stuck', { evenOpen: true })).toBe('begun')
    await toTheEnd(store)
    expect(await everythingOf(store, 'stuck')).toEqual(nothing)
  })

  it('[N-17] only what is closed goes; children go with their parent and not before it', async () => {
    await using store = await open()
    await fill(store, 'open', closed('open', null))
    await fill(store, 'parent', closed('parent', T0 + 5))
    await fill(store, 'child', closed('child', T0 + 1, 'parent'))
    await fill(store, 'grandchild', closed('grandchild', T0, 'child'))
    await fill(store, 'late', closed('late', null, 'parent'))
    await fill(store, 'orphan', closed('orphan', T0 + 2, 'gone'))
    expect(await store.retention.begin('open')).toBe('open')
    expect(await store.retention.begin('child')).toBe('child')
    expect(await store.retention.begin('late', { evenOpen: true })).toBe('child')
    expect(await store.retention.begin('nobody')).toBe('missing')
    expect(await store.retention.expired(T0 + 4, 10)).toEqual(['orphan'])
    expect(await store.retention.expired(T0 + 5, 10)).toEqual(['orphan', 'parent'])
    expect(await store.retention.nextClosedAt(T0 + 2)).toBe(T0 + 5)
    expect(await store.retention.nextClosedAt(T0 + 5)).toBeNull()
    await store.retention.begin('parent')
    expect(await toTheEnd(store)).toEqual(['child', 'grandchild'])
    for (const id of ['parent', 'child', 'grandchild']) expect(await everythingOf(store, id)).toEqual(nothing)
    for (const id of ['open', 'late', 'orphan'])
      expect((await everythingOf(store, id)).entries).toHaveLength(3)
  })

  it('[N-17] [R-2] no write that was decided before the removal is taken after it', async () => {
    await using store = await open()
    await fill(store, 'x1')
    await store.retention.begin('x1')
    const late = { ...writeOf('x1', ['a.completed'], 3), row: rowOf('x1') }
    expect(await store.journal.commit({ executions: [late] })).toEqual({ conflicts: ['x1'] })
    await toTheEnd(store)
    expect(await store.journal.commit({ executions: [late] })).toEqual({ conflicts: ['x1'] })
    expect(await everythingOf(store, 'x1')).toEqual(nothing)
  })

  it('[N-17] contents that lost their last row are listed until they are cleaned up', async () => {
    await using store = await open()
    await fill(store, 'x1')
    await fill(store, 'x2')
    await store.retention.begin('x1')
    await toTheEnd(store)
    const digest = 'ab'.repeat(32)
    expect(await store.retention.unusedContents(10)).toEqual([digest])
    expect(await store.artifactRows.isUsed(digest)).toBe(true)
    await store.retention.begin('x2')
    await toTheEnd(store)
    expect(await store.artifactRows.isUsed(digest)).toBe(false)
    await store.retention.settleContent(digest)
    expect(await store.retention.unusedContents(10)).toEqual([])
  })
})

describe('removal on SQLite', () => {
  let dataDir = ''
  beforeEach(() => {
    dataDir = temporaryFolder()
  })
  afterEach(() => removeFolder(dataDir))

  /** Rows of an execution in every table that knows executions, whoever added it. */
  function left(executionId: string): Record<string, number> {
    const db = new Database(join(dataDir, 'penstock.db'), { readonly: true })
    const tables = db
      .prepare<[], string>(
        `SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c
         WHERE m.type = 'table' AND c.name = 'execution_id' ORDER BY m.name`,
      )
      .pluck()
      .all()
    const counts = tables.map((table): [string, number] => {
      const sql = `SELECT count(*) FROM ${table} WHERE execution_id = ?`
      return [table, Number(db.prepare(sql).pluck().get(executionId))]
    })
    db.close()
    return Object.fromEntries(counts)
  }

  it('[N-17] [R-3] each step can be the last of a process: the next start goes on, and others are as they were', async () => {
    const start = () => openStore({ dataDir, tenantId: 'default' })
    const first = await start()
    await fill(first, 'x1', closed('x1', T0), 600)
    await fill(first, 'child', closed('child', T0, 'x1'))
    await fill(first, 'x2')
    const other = await everythingOf(first, 'x2')
    await first.retention.begin('x1')
    await first.close()
    for (let over = false; !over;) {
      const store = await start()
      expect(await store.executions.get('x1')).toBeNull()
      over = (await store.retention.step()) === null
      expect(await everythingOf(store, 'x2')).toEqual(other)
      await store.close()
    }
    expect(new Set(Object.values(left('x1')))).toEqual(new Set([0]))
    expect(new Set(Object.values(left('child')))).toEqual(new Set([0]))
  })

  it('[N-17] fills every table that knows executions, so that the proof sees all of them', async () => {
    await using store = disposable(await openStore({ dataDir, tenantId: 'default' }))
    await fill(store, 'x1')
    expect(Object.entries(left('x1')).filter(([, rows]) => rows === 0)).toEqual([])
  })

  it('[N-17] one step takes few rows, and fewer when they are large', async () => {
    await using store = disposable(await openStore({ dataDir, tenantId: 'default' }))
    await fill(store, 'x1', closed('x1', T0), 2_000)
    const value = 'x'.repeat(1_000_000)
    const large = Array.from({ length: 30 }, (_, at) => ({
      type: 'b.completed',
      variables: [{ name: `b.v${at}`, value }],
    }))
    await store.journal.commit({ executions: [writeOf('x1', large, 2_000)] })
    await store.retention.begin('x1')
    for (let before = left('x1'); ;) {
      if ((await store.retention.step()) === null) break
      const after = left('x1')
      const gone = Object.keys(after).map((table) => (before[table] ?? 0) - (after[table] ?? 0))
      expect(Math.max(...gone)).toBeLessThanOrEqual(500)
      if (after['variables'] !== before['variables'] && (after['variables'] ?? 0) >= 2_000)
        expect((before['variables'] ?? 0) - (after['variables'] ?? 0)).toBeLessThanOrEqual(6)
      before = after
    }
  })
})
