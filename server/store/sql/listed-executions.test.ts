import { join, resolve } from 'node:path'
import type { CompiledQuery, Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionFilter } from '@/server/ports/registry'
import { removeFolder, rowOf, T0, temporaryFolder, writeOf } from '@/server/store/contract-fixtures'
import { applyMigrations } from '@/server/store/migrate'
import { connectSqlite, sqliteWords } from '@/server/store/sqlite/dialect'
import { createJournalWriter } from '@/server/store/sqlite/journal-writer'
import { openDatabase } from '@/server/store/sqlite/open'
import { listExecutions } from './listed-executions'
import type { Tables } from './tables'

const RUNS = 200
const tenantId = 'default'

describe('a list of runs reads a bounded number of rows', () => {
  let folder = ''
  let db: ReturnType<typeof openDatabase>
  let kysely: Kysely<Tables>
  const asked: CompiledQuery[] = []

  beforeAll(async () => {
    folder = temporaryFolder()
    const file = join(folder, 'listed.db')
    await applyMigrations(file, resolve('prisma/migrations'))
    db = openDatabase(file)
    const connected = connectSqlite(db)
    kysely = connected.kysely.withPlugin({
      transformQuery: ({ node, queryId }) => {
        asked.push(connected.kysely.getExecutor().compileQuery(node, queryId))
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const write = createJournalWriter(db, tenantId)
    for (let at = 0; at < RUNS; at++) {
      const id = `x${String(at).padStart(3, '0')}`
      const row = rowOf(id, {
        createdAt: T0 + Math.floor(at / 3),
        status: at % 2 === 0 ? 'completed' : 'failed',
        labels: { team: 'data' },
        inputs: { n: at === 7 ? 'needle' : 'hay' },
      })
      write({ executions: [{ ...writeOf(id, ['pipeline.created']), row }] })
    }
  })
  afterAll(() => {
    db.close()
    removeFolder(folder)
  })

  const list = (filter: Omit<ExecutionFilter, 'limit'> & { limit?: number }) =>
    listExecutions(
      { db: kysely, dialect: sqliteWords, tenantId },
      { limit: 5, ...filter },
      { atOnce: 10, ofPage: 30 },
    )

  async function pagesOf(filter: Omit<ExecutionFilter, 'limit' | 'cursor'>): Promise<string[][]> {
    const pages: string[][] = []
    let cursor: string | null = null
    do {
      const page = await list(cursor === null ? filter : { ...filter, cursor })
      pages.push(page.items.map(({ executionId }) => executionId))
      cursor = page.nextCursor
    } while (cursor !== null)
    return pages
  }

  it('a page may be empty and have a next one; the pages together miss nothing', async () => {
    const pages = await pagesOf({ text: 'needle' })
    expect(pages.length).toBeGreaterThan(5)
    expect(pages[0]).toEqual([])
    expect(pages.flat()).toEqual(['x007'])
  })

  it('what several ranges hold is merged up to where all of them were read', async () => {
    const found = (await pagesOf({ statuses: ['completed', 'failed'], text: 'needle' })).flat()
    expect(found).toEqual(['x007'])
    const hay = (await pagesOf({ statuses: ['completed', 'failed'], text: 'hay' })).flat()
    expect(hay).toHaveLength(RUNS - 1)
    expect(hay).toEqual(hay.toSorted().toReversed())
    expect((await pagesOf({ requestedBy: 'ada', text: 'hay' })).flat()).toEqual(hay)
  })

  it.each<[string, Omit<ExecutionFilter, 'limit'>]>([
    ['nothing', {}],
    ['a pipeline', { pipelineId: 'report' }],
    ['a revision', { pipelineId: 'report', revision: 1 }],
    ['who started it', { requestedBy: 'ada' }],
    ['a status', { statuses: ['running', 'failed'] }],
    ['a label', { label: { key: 'team', value: 'data' } }],
    ['a text', { text: 'needle' }],
    [
      'all',
      {
        pipelineId: 'report',
        requestedBy: 'ada',
        statuses: ['failed'],
        text: 'a',
        took: { least: 1, now: T0 },
      },
    ],
  ])('by %s every query walks a range of an index in its order', async (_name, filter) => {
    asked.length = 0
    await list(filter)
    expect(asked.length).toBeGreaterThan(0)
    for (const { sql, parameters } of asked) {
      const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters) as { detail: string }[]
      const steps = plan.map(({ detail }) => detail)
      expect(steps.join('\n')).not.toMatch(/SCAN|TEMP B-TREE/)
      expect(steps[0]).toMatch(/^SEARCH (e|l) USING /)
    }
  })
})
