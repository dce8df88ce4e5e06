import { join, resolve } from 'node:path'
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Retention } from '@/server/ports/retention'
import {
  removeFolder,
  rowOf,
  T0,
  temporaryFolder,
  webhookOf,
  writeOf,
} from '@/server/store/contract-fixtures'
import { applyMigrations } from '@/server/store/migrate'
import { connectSqlite, sqliteWords } from '@/server/store/sqlite/dialect'
import { openDatabase } from '@/server/store/sqlite/open'
import type { SqlDialect } from './dialect'
import { createSqlJournalReader } from './journal-reader'
import { openPostgres, postgresWords } from '@/testing/postgres'
import { createSqlRetention } from './retention'
import { createSqlStores, type SqlStores } from './stores'
import type { Tables } from './tables'

const tenant_id = 'default'

type AllStores = SqlStores & {
  readonly retention: Omit<Retention, 'compact'>
  readonly journal: { readonly read: ReturnType<typeof createSqlJournalReader> }
}

/** Every method of every store, each noted when it is called. */
function storesOf(db: Kysely<Tables>, dialect: SqlDialect, called: Set<string>): AllStores {
  const stores = {
    ...createSqlStores(db, dialect, tenant_id),
    retention: createSqlRetention(db, dialect, tenant_id),
    journal: { read: createSqlJournalReader(db, tenant_id) },
  }
  const noted = (store: object, name: string) =>
    new Proxy(store, {
      get(target, method) {
        called.add(`${name}.${String(method)}`)
        return Reflect.get(target, method)
      },
    })
  return Object.fromEntries(
    Object.entries(stores).map(([name, store]) => [name, noted(store, name)]),
  ) as AllStores
}

/** What the commit of three runs leaves behind: x1 was restarted, x2 is its child, x3 is closed and has labels. */
async function fill(db: Kysely<Tables>): Promise<void> {
  const restarted = writeOf('x1', [
    { type: 'pipeline.started', entityType: 'pipeline', entityId: 'p' },
    { type: 'a.completed', variables: [{ name: 'a.out', value: 1 }] },
    { type: 'ask.approved', variables: [{ name: 'ask.by', value: 'ada' }] },
    { type: 'a.reset' },
    { type: 'pipeline.restarted', entityType: 'pipeline', entityId: 'p' },
    {
      type: 'a.completed',
      variables: [
        { name: 'a.out', value: 2 },
        { name: 'a.text', value: 'x' },
      ],
    },
  ])
  const runs = [
    { ...restarted, row: rowOf('x1', { nextWakeAt: T0 + 5 }) },
    {
      ...writeOf('x2', ['a.started']),
      row: rowOf('x2', { parentId: 'x1', originId: 'x1', createdAt: T0 + 1 }),
    },
    {
      ...writeOf('x3', ['a.failed', 'pipeline.closed']),
      row: rowOf('x3', { status: 'failed', closedAt: T0 + 9, createdAt: T0 + 2 }),
    },
  ]
  for (const { executionId, entries, row } of runs) {
    for (const { event, variables } of entries) {
      await db
        .insertInto('events')
        .values({
          tenant_id,
          execution_id: executionId,
          seq: event.seq,
          type: event.type,
          entity_type: event.source.entity_type,
          entity_id: event.source.entity_id,
          generation: 1,
          attempt: null,
          item: null,
          actor: null,
          payload: '{}',
          timestamp: Date.parse(event.timestamp),
        })
        .execute()
      for (const [ordinal, { name, value }] of variables.entries()) {
        const row = { tenant_id, execution_id: executionId, name, seq: event.seq, ordinal }
        await db
          .insertInto('variables')
          .values({ ...row, value: JSON.stringify(value), ref: null })
          .execute()
      }
    }
    const { pipelineId: pipeline_id, revision, status, lifecycle, priority } = row
    await db
      .insertInto('executions')
      .values({
        ...{ tenant_id, execution_id: executionId, pipeline_id, revision, status, lifecycle, priority },
        labels: '{"team":"data"}',
        requested_by: 'ada',
        requested_by_id: 'usr_1',
        created_at: row.createdAt,
        started_at: null,
        finished_at: null,
        closed_at: row.closedAt,
        next_wake_at: row.nextWakeAt,
        error: null,
        mocked: false,
        waiting_for: null,
        parent_id: row.parentId,
        origin_id: row.originId,
        inputs: row.inputs === null ? null : JSON.stringify(row.inputs),
        search_text: `${executionId} 100% team:data`,
      })
      .execute()
    await db
      .insertInto('execution_labels')
      .values({ tenant_id, key: 'team', value: 'data', created_at: row.createdAt, execution_id: executionId })
      .execute()
    await db
      .insertInto('approvals')
      .values({
        ...{ tenant_id, execution_id: executionId, node_id: 'ask', pipeline_id, due_at: null },
        opened_at: T0,
        request: '{}',
      })
      .execute()
    for (const [webhook_id, status] of [
      ['w1', 'pending'],
      ['w2', 'delivered'],
    ] as const) {
      await db
        .insertInto('webhook_deliveries')
        .values({
          ...{ tenant_id, execution_id: executionId, seq: 1, webhook_id, event_type: 'a.failed', status },
          attempts: 0,
          next_at: status === 'pending' ? T0 : null,
          last_status: null,
          last_error: null,
          created_at: T0,
          delivered_at: null,
        })
        .execute()
    }
  }
  await db
    .insertInto('node_statistics')
    .values({ tenant_id, pipeline_id: 'report', node_id: 'a', completed: 1, failed: 0, durations: '[5]' })
    .execute()
}

const page = { limit: 2 }

/** The next page of a list that was cut. */
async function rest<T>(
  list: (range: { limit: number; cursor?: string }) => Promise<{ nextCursor: string | null; items: T }>,
) {
  const first = await list({ limit: 1 })
  return [first, first.nextCursor === null ? null : await list({ limit: 1, cursor: first.nextCursor })]
}

/** Asks every store everything once at least, and answers what they said. */
async function journey(stores: AllStores): Promise<unknown[]> {
  return [
    await runsOf(stores),
    await pipelinesOf(stores),
    await peopleOf(stores),
    await webhooksOf(stores),
    await removalOf(stores),
    await measuredOf(stores),
    await poolsOf(stores),
  ]
}

async function poolsOf({ pools }: AllStores) {
  const row = { name: 'warehouse', capacity: 4, updatedAt: T0, updatedBy: 'ada', updatedById: 'usr_1' }
  await pools.put(row)
  await pools.put({ ...row, capacity: 2.5, updatedById: null })
  return [await pools.list(), await pools.remove('warehouse'), await pools.remove('warehouse')]
}

async function measuredOf({ objectives }: AllStores) {
  const minute = { upMs: 60_000, runs: 2, recoveryMs: 400, parse: [1, 0], transition: [0, 3] }
  for (const at of [29_000_002, 29_000_001, 29_000_003]) await objectives.put({ minute: at, ...minute })
  await objectives.put({ minute: 29_000_003, ...minute, recoveryMs: null })
  const listed = await objectives.list({ from: 29_000_002, limit: 5 })
  await objectives.prune(29_000_002)
  return [listed, await objectives.first()]
}

async function runsOf({ events, variables, executions, journal, logs, attempts, ...stores }: AllStores) {
  const line = { executionId: 'x1', nodeId: 'a', generation: 1, attempt: 1, item: null, at: T0 }
  await logs.append([
    { ...line, stream: 'log', text: 'one' },
    { ...line, stream: 'stderr', text: 'two' },
  ])
  await logs.append([{ ...line, attempt: 2, item: 3, stream: 'log', text: 'three' }])
  const refused = { executionId: 'x1', nodeId: 'a', generation: 1, attempt: 1, item: null }
  await attempts.refused({ ...refused, token: 1, reason: 'old', at: T0 })
  await stores.profiles.keep('x3', 2, { nodes: [] } as never)
  await stores.profiles.keep('x3', 2, { nodes: [] } as never)
  await stores.profiles.keep('gone', 2, { nodes: [] } as never)
  const listed = [
    await rest((range) => executions.list(range)),
    await rest((range) => executions.list({ ...range, label: { key: 'team', value: 'data' } })),
    await executions.list({
      ...page,
      statuses: ['running', 'failed'],
      pipelineId: 'report',
      from: 1,
      to: T0 + 1,
    }),
    await rest((range) => executions.list({ ...range, requestedBy: 'usr_1', text: 'X team' })),
    await executions.list({ ...page, requestedBy: 'ada', statuses: ['failed'] }),
    await executions.list({ ...page, pipelineId: 'report', revision: 1, text: '100%' }),
    await executions.list({
      ...page,
      label: { key: 'team', value: 'data' },
      took: { least: 1, most: 5, now: T0 + 5 },
    }),
  ]
  return [
    await events.has('x1', 'a.completed'),
    await events.has('x1', 'ask.approved', { superseded: true }),
    await events.get('x1', 'a.completed'),
    await events.get('x1', 'a.completed', { which: 'first', superseded: true }),
    await events.query('x1', {}),
    await events.query('x1', {
      superseded: true,
      types: ['a.*', 'pipeline.started'],
      after: 1,
      from: 1,
      to: T0 + 9,
    }),
    await events.query('x1', {
      types: ['*.reset'],
      entityType: 'node',
      entityId: 'a',
      limit: 5,
      superseded: true,
    }),
    [await variables.get('x1', 'a.out'), await variables.exists('x1', 'none'), await variables.list('x1')],
    [await journal.read('x1'), await journal.read('x1', { after: 4, limit: 1 })],
    [await executions.get('x1'), await executions.open(page), await executions.due(T0 + 5, 10)],
    [
      await executions.countByStatus(),
      await executions.closedSince(T0, 1_000),
      await executions.openCountOf('report'),
      await executions.forksOf('x1', 5),
    ],
    listed,
    [
      await logs.read('x1', 'a', page),
      await logs.read('x1', 'a', { attempt: 2, item: 3, after: 1, limit: 9 }),
    ],
    await attempts.listRefused('x1', 'a'),
    await stores.profiles.latest('report', 5),
    await stores.statistics.ofPipeline('report'),
    [await stores.approvals.count(), await rest((range) => stores.approvals.pending(range))],
    await stores.approvals.pending({ limit: 5, executionId: 'x2' }),
  ]
}

async function pipelinesOf({ pipelines, schedules }: AllStores) {
  const revision = (pipelineId: string, digest: string) => ({
    ...{ pipelineId, definition: { a: digest }, text: 'a: 1', digest, createdAt: T0 },
    ...{ createdBy: 'ada', createdById: 'usr_1' },
  })
  const pipeline = (id: string, digest: string) => ({
    ...{ name: `100% ${id}`, description: null, labels: {}, revision: revision(id, digest) },
  })
  const timer = (triggerId: string, nextAt: number) => ({
    ...{ triggerId, cron: '* * * * *', timezone: 'UTC', enabled: true, nextAt },
  })
  const due = { pipelineId: 'p1', triggerId: 't1', nextAt: T0 + 1 } as Parameters<typeof schedules.fired>[0]
  return [
    await pipelines.create({
      ...pipeline('p1', 'd1'),
      schedules: [timer('t1', T0 + 1), timer('t2', T0 + 2)],
    }),
    await pipelines.create(pipeline('p2', 'd1')),
    await pipelines.create(pipeline('p1', 'd1')),
    [await rest((range) => schedules.list(range)), await schedules.list({ ...page, pipelineId: 'p1' })],
    [await schedules.due(T0 + 1, 5), await schedules.earliest()],
    await schedules.fired(due, { nextAt: T0 + 3, lastAt: T0 + 1, lastExecutionId: 'x1', lastError: null }),
    await schedules.fired(due, { nextAt: T0 + 4, lastAt: T0 + 1, lastExecutionId: 'x1', lastError: null }),
    [await schedules.setNext('p1', 't2', null), await schedules.get('p1', 't1')],
    await pipelines.update(pipeline('p1', 'd1'), 1),
    await pipelines.update({ ...pipeline('p1', 'd2'), schedules: [timer('t1', T0 + 9)] }, 1),
    await pipelines.update(pipeline('p1', 'd3'), 1),
    [await pipelines.get('p1'), await pipelines.list({ ...page, search: '0% P2' })],
    await rest((range) => pipelines.list(range)),
    [await pipelines.revision('p1'), await pipelines.revision('p1', 1)],
    await rest((range) => pipelines.revisions('p1', range)),
    [await pipelines.remove('p1'), await pipelines.remove('p1'), await schedules.list(page)],
    await pipelines.create(pipeline('p1', 'd4')),
  ]
}

async function peopleOf({ drafts, secretRows, audit, idempotency, artifactRows }: AllStores) {
  const draft = {
    ...{ userId: 'usr_1', userName: 'ada', baseRevision: 0, text: 'x', format: 'yaml' as const },
    updatedAt: T0,
  }
  const secret = { sealed: 's', updatedAt: T0, updatedBy: 'ada', updatedById: 'usr_1' }
  const record = { at: T0, actor: 'ada', actorId: 'usr_1', action: 'a', subject: 's', result: { ok: true } }
  const first = { scope: 's', key: 'k', requestDigest: 'd', answer: { n: 1 } }
  const artifact = {
    ...{ artifactId: 'f1', executionId: 'x3', nodeId: 'a', name: 'n', contentType: 'text/plain' },
    ...{ bytes: 3, digest: 'f00d', createdAt: T0 },
  }
  await secretRows.put({ name: 's1', ...secret })
  await secretRows.put({ name: 's1', ...secret, sealed: 't', updatedAt: T0 + 1 })
  for (const n of [1, 2, 3]) await audit.append({ ...record, at: T0 + n })
  await artifactRows.insert(artifact)
  await artifactRows.insert({ ...artifact, name: 'another' })
  return [
    await drafts.put({ ...draft, pipelineId: 'p1' }, 0),
    await drafts.put({ ...draft, pipelineId: 'p1', text: 'y' }, T0),
    await drafts.put({ ...draft, pipelineId: 'p1' }, 5),
    await drafts.put({ ...draft, pipelineId: 'p2' }, 0),
    [await drafts.get('usr_1', 'p1'), await rest((range) => drafts.list('usr_1', range))],
    [await drafts.remove('usr_1', 'p1', 5), await drafts.remove('usr_1', 'p1')],
    [await secretRows.find('s1'), await secretRows.list(), await secretRows.remove('s1')],
    await audit.read({ after: 1, limit: 1 }),
    [await idempotency.save(first), await idempotency.save(first), await idempotency.find('s', 'k')],
    [await artifactRows.get('x3', 'f1'), await artifactRows.list('x3'), await artifactRows.isUsed('f00d')],
  ]
}

async function webhooksOf({ webhookRows: it }: AllStores) {
  const key = { webhookId: 'w1', executionId: 'x1', seq: 1 }
  const inserted = [
    await it.insert(webhookOf('w1'), 2),
    await it.insert(webhookOf('w2', { active: false }), 2),
    await it.insert(webhookOf('w3'), 2),
  ]
  const sent = (await it.delivery(key))!
  await it.record([{ ...sent, status: 'delivered', nextAt: null, lastStatus: 200, deliveredAt: T0 }])
  return [
    inserted,
    [await it.get('w2'), await rest((range) => it.list(range))],
    await it.update(webhookOf('w2', { previousUntil: T0 })),
    [await it.delivery(key), await it.pending('w1', 10)],
    [
      await rest((range) => it.deliveries('w1', range)),
      await it.deliveries('w2', { ...page, status: 'dead' }),
    ],
    await it.forgetDelivered(T0 + 1, 2),
    [await it.remove('w1'), await it.remove('w1')],
  ]
}

async function removalOf({ retention: it }: AllStores) {
  const answers: unknown[] = [
    [await it.expired(T0 + 9, 5), await it.nextClosedAt(0), await it.nextClosedAt(T0 + 9)],
    [await it.begin('x2'), await it.begin('x1'), await it.begin('none')],
    [await it.begin('x3'), await it.begin('x1', { evenOpen: true })],
  ]
  await it.abandon('y9')
  for (let gone = await it.step(); gone !== null; gone = await it.step()) answers.push(gone)
  answers.push(await it.unusedContents(5))
  await it.settleContent('f00d')
  return [...answers, await it.unusedContents(5)]
}

describe('the stores speak SQL that SQLite and PostgreSQL share', () => {
  const called = new Set<string>()
  const statements = new Set<string>()
  let folder = ''
  let onSqlite: unknown[] = []
  let onPostgres: unknown[] = []
  /** The plan of each query that names an execution, as SQLite would run it. */
  const plans: string[] = []

  beforeAll(async () => {
    folder = temporaryFolder()
    const file = join(folder, 'both.db')
    await applyMigrations(file, resolve('prisma/migrations'))
    const raw = openDatabase(file)
    const { kysely } = connectSqlite(raw)
    await fill(kysely)
    const asked = new Set<string>()
    const prepare = raw.prepare.bind(raw)
    raw.prepare = ((text: string) => (asked.add(text), prepare(text))) as typeof raw.prepare
    onSqlite = await journey(storesOf(kysely, sqliteWords, called))
    for (const text of asked) {
      if (!/^select .*"execution_id" = \?/.test(text)) continue
      const steps = raw.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
      const values = (text.match(/\?/g) ?? []).map(() => 'x')
      plans.push(`${text}: ${steps.all(...values)[0]!.detail}`)
    }
    raw.close()
    await using db = await openPostgres(file, (event) => statements.add(event.query.sql))
    await fill(db)
    statements.clear()
    onPostgres = await journey(storesOf(db, postgresWords, called))
  }, 120_000)
  afterAll(() => removeFolder(folder))

  it('what asks for one execution looks at the rows of that execution alone', () => {
    expect(plans.length).toBeGreaterThan(10)
    expect(plans.filter((plan) => !/: SEARCH [^:]*execution_id=\?/.test(plan))).toEqual([])
  })

  it('both give the same answers', () => {
    expect(onPostgres).toEqual(onSqlite)
  })

  it('every method of every store was asked', () => {
    const { kysely } = connectSqlite(openDatabase(join(folder, 'none.db')))
    const stores = storesOf(kysely, sqliteWords, new Set())
    const methods = Object.entries(stores).flatMap(([name, store]) =>
      Object.keys(store).map((method) => `${name}.${method}`),
    )
    expect(methods.filter((method) => !called.has(method))).toEqual([])
  })

  it('[N-18] every statement names the tenant, but the one that asks for a content of any of them', () => {
    expect(statements.size).toBeGreaterThan(80)
    const unnamed = [...statements].filter((text) => !text.includes('tenant_id'))
    expect(unnamed).toEqual([expect.stringMatching(/^select "digest" from "artifacts"/)])
  })
})
