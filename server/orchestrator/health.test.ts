import { describe, expect, it } from 'vitest'
import { evolve } from '@/core/engine/fold/evolve'
import { emptyState } from '@/core/engine/state'
import { taskCatalog } from '@/tasks/contracts'
import type { PendingApproval } from '@/server/ports/journal'
import { openMemoryStore } from '@/server/store/memory/open'
import { createMemoryDisk, keyOf } from '@/server/store/memory/disk'
import { createSystemClock } from '@/server/system-clock'
import { EngineRun, gate, noop, S, wait, type NodeSpec } from '@/testing/engine-run'
import { createMemoryArtifacts } from '@/testing/memory-artifacts'
import { person } from '@/testing/person'
import { createHealth } from './health'
import { createOrchestrator } from './orchestrator'
import { createOwnedJournal } from './owned-journal'
import { approvalsOf, rowOf } from './registry-row'

/** A store with one run as the engine left it. */
async function fixture(...nodes: NodeSpec[]) {
  const disk = createMemoryDisk()
  const store = openMemoryStore(disk)
  const run = new EngineRun({ nodes })
  const row = rowOf(run.state, null)
  const write = { owner: '', epoch: 0, executionId: 'x1', expectedSeq: 0, entries: run.entries, row }
  await store.journal.commit({
    executions: [{ ...write, approvalsOpened: approvalsOf(run.state, run.entries) }],
  })
  let now = run.now
  const warnings: string[] = []
  let changes = 0
  const journal = createOwnedJournal(store.journal, 'test')
  await journal.claim()
  const health = createHealth({
    ...store,
    journal,
    clock: {
      now: () => now,
      at: () => () => undefined,
      after: () => () => undefined,
      defer: (work) => work(),
    },
    live: () => undefined,
    isAligning: () => false,
    async fold(executionId, seen = () => undefined) {
      const state = emptyState(executionId, run.state.pipeline)
      for (const entry of await store.journal.read(executionId)) {
        evolve(state, entry)
        seen(entry)
      }
      return state
    },
    durable: async () => undefined,
    evict: () => undefined,
    takeUpAgain: async () => undefined,
    changed: () => (changes += 1),
    warn: (what) => warnings.push(what),
  })
  const rules = async () => {
    await health.check()
    return health.violations().map(({ rule, nodeId }) => (nodeId === null ? rule : `${rule} ${nodeId}`))
  }
  return { disk, row, health, rules, warnings, changes: () => changes, pass: (ms: number) => (now += ms) }
}

describe('health', () => {
  it('finds nothing in what is sound', async () => {
    expect(await (await fixture(gate('g'), wait('w', '10s'))).rules()).toEqual([])
  })

  it('[R-18] finds a damaged registry row, says since when, and lets it go when it is right again', async () => {
    const at = await fixture(wait('w', '10s'))
    at.disk.executions.set('x1', { ...at.row, nextWakeAt: null })
    expect(await at.rules()).toEqual(['registry_row'])
    const [first] = at.health.violations()
    expect(first?.message).toContain('nextWakeAt is null, its journal says')
    at.pass(60_000)
    await at.health.check()
    expect(at.health.violations()).toEqual([first])
    // Watchers are notified when it changes, and only then.
    expect(at.changes()).toBe(1)
    expect(await at.health.repair('x1')).toBe(true)
    expect(at.changes()).toBe(2)
    expect(at.disk.executions.get('x1')).toEqual(at.row)
    expect(await at.rules()).toEqual([])
  })

  it('[R-51] finds an inbox that shows too little or too much', async () => {
    const at = await fixture(gate('g'))
    const [[key, line]] = at.disk.approvals as unknown as [[string, PendingApproval]]
    at.disk.approvals.delete(key)
    at.disk.approvals.set(keyOf('x1', 'ghost'), { ...line, nodeId: 'ghost' })
    expect(await at.rules()).toEqual(['inbox ghost', 'inbox g'])
    expect(await at.health.repair('x1')).toBe(true)
    expect(await at.rules()).toEqual([])
  })

  it('[R-72] reports a wake-up that is long overdue', async () => {
    const at = await fixture(wait('w', '10s'))
    at.pass(60_000)
    expect(await at.rules()).toEqual([])
    at.pass(120_000)
    expect(await at.rules()).toEqual(['overdue'])
  })

  it('[T15] what cannot be folded is set apart at the boot, and the other runs go on', async () => {
    const disk = createMemoryDisk()
    const store = openMemoryStore(disk)
    const definition = {
      schemaVersion: 1,
      id: 'p',
      name: 'p',
      nodes: [noop('a', `${S} && event:external.go`)],
    }
    const about = {
      pipelineId: 'p',
      text: null,
      digest: 'd',
      createdAt: 0,
      createdBy: 'ada',
      createdById: null,
    }
    const revision = { ...about, definition: definition as never }
    await store.pipelines.create({ name: 'p', description: null, labels: {}, revision })
    for (const id of ['bad', 'good']) {
      const run = new EngineRun(definition as never)
      const entries = run.entries.map((entry) => ({
        ...entry,
        event: { ...entry.event, id: `${id}.${entry.event.seq}`, execution_id: id },
      }))
      const row = { ...rowOf(run.state, null), executionId: id, status: 'running' }
      await store.journal.commit({
        executions: [{ owner: '', epoch: 0, executionId: id, expectedSeq: 0, entries, row }],
      })
    }
    const damage = (id: string) => {
      const journal = disk.journals.get(id)!
      journal[1] = { ...journal[1]!, event: { ...journal[1]!.event, type: 'pipeline.nonsense' } }
    }
    damage('bad')
    const warnings: string[] = []
    const { engine, runs } = createOrchestrator(
      {
        ...store,
        artifacts: createMemoryArtifacts(),
        runner: {
          dispatch: () => ({ abort: () => undefined }),
          pools: () => [],
          preparation: () => null,
          stop: async () => undefined,
        },
        clock: createSystemClock(),
        ids: { execution: () => 'x', artifact: () => 'x' },
        tasks: taskCatalog,
        warn: (what) => warnings.push(what),
        fatal: (error) => warnings.push(String(error)),
      },
      { maxConcurrentTasks: 1, mostComputed: 0 },
    )
    await engine.recover()
    expect(runs.setApart('bad')).toContain('pipeline.nonsense')
    expect(warnings).toEqual(['bad cannot go on and was set apart'])
    const go = {
      type: 'publish_event',
      eventType: 'external.go',
      payload: {},
      actor: person('a'),
    } as const
    expect(await engine.submit({ executionId: 'good', input: go })).toMatchObject({ ok: true })
    expect(await engine.submit({ executionId: 'bad', input: go })).toMatchObject({
      ok: false,
      rejection: { code: 'set_apart' },
    })
    // Nobody can end it: it can be removed as it is, and nothing is said of it afterwards.
    const violationsOf = (id: string) => runs.violations().filter(({ executionId }) => executionId === id)
    expect(violationsOf('bad')).toHaveLength(1)
    expect(await engine.remove('bad')).toBe('removed')
    expect(violationsOf('bad')).toEqual([])
    expect(await store.executions.get('bad')).toBeNull()
    // Nor does one that was damaged while it ran still count as running.
    expect(await engine.remove('good')).toBe('open')
    damage('good')
    await expect(engine.repair('good')).rejects.toThrow('pipeline.nonsense')
    expect(await engine.submit({ executionId: 'good', input: go })).toMatchObject({ ok: false })
    expect(runs.runsOf('p').holders).toEqual(['good'])
    expect(await engine.remove('good')).toBe('removed')
    expect(runs.runsOf('p').holders).toEqual([])
    await engine.stop()
  })
})
