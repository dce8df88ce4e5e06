import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_LARGE_VALUES } from '@/core/engine/large-values'
import { emptyState, type ExecutionState } from '@/core/engine/state'
import { createCompiledPipelines } from '@/server/orchestrator/compiled-pipelines'
import { foldJournal } from '@/server/orchestrator/fold'
import { rowOf } from '@/server/orchestrator/registry-row'
import { openStore, type SqliteStore } from '@/server/store/open'
import { taskCatalog } from '@/tasks/contracts'

const fixtures = join(import.meta.dirname, 'fixtures')

describe.each(['data-folder-0008', 'data-folder-0010'])('[T10] the registry of %s, migrated', (name) => {
  const folder = join(fixtures, name)
  const ids = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Record<string, string>
  let dataDir: string
  let store: SqliteStore

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'penstock-migrated-rows-'))
    cpSync(join(folder, 'secret.key'), join(dataDir, 'secret.key'))
    writeFileSync(join(dataDir, 'penstock.db'), gunzipSync(readFileSync(join(folder, 'penstock.db.gz'))))
    store = await openStore({ dataDir, tenantId: 'default' })
  })
  afterAll(async () => {
    await store.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  async function fold(executionId: string): Promise<ExecutionState> {
    const row = (await store.executions.get(executionId))!
    const pipeline = await createCompiledPipelines(store.pipelines, taskCatalog).get(
      row.pipelineId,
      row.revision,
    )
    const state = emptyState(executionId, pipeline!, NO_LARGE_VALUES)
    await foldJournal(store.journal, state)
    return state
  }

  it('[R-89] says of every run what its journal says', async () => {
    const { items } = await store.executions.list({ limit: 1_000 })
    expect(items.length).toBeGreaterThan(5)
    for (const row of items) {
      const { status, handledFailures, mocked } = rowOf(await fold(row.executionId), null)
      expect(row, row.executionId).toMatchObject({ status, handledFailures, mocked })
    }
  })

  if (name === 'data-folder-0010')
    it('[R-89] counts what was handled or allowed, and knows what was mocked', async () => {
      const seen: Record<string, unknown> = {}
      for (const [what, id] of Object.entries(ids)) {
        const row = await store.executions.get(id)
        seen[what] = [row?.handledFailures, row?.mocked]
      }
      expect(seen).toEqual({
        good: [0, false],
        handled: [2, false],
        items: [1, false],
        forked: [2, false],
        madeGood: [0, false],
        mocked: [0, true],
        notMocked: [0, false],
      })
      const idsOf = async (filter: object) =>
        (await store.executions.list({ limit: 100, ...filter })).items.map(({ executionId }) => executionId)
      expect((await idsOf({ handledFailures: true })).sort()).toEqual(
        [ids['handled'], ids['items'], ids['forked']].sort(),
      )
      expect(await idsOf({ statuses: ['completed'], handledFailures: false, mocked: false })).toEqual(
        [ids['good'], ids['madeGood']].sort().reverse(),
      )
      expect(await idsOf({ mocked: true })).toEqual([ids['mocked']])
    })

  if (name === 'data-folder-0010')
    it('names the mocked values of a question that was asked before', async () => {
      const open = (await fold(ids['mocked']!)).nodes.get('ask')
      expect(open).toMatchObject({ approval: { mocked: [{ value: 'rows.n', mocks: ['rows'] }] } })
    })
})
