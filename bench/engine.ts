import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { JsonObject } from '@/core/engine/event'
import type { PipelineDefinition } from '@/core/pipeline/definition'
import { taskCatalog } from '@/core/tasks/catalog'
import { openArtifactStore } from '@/server/artifacts/open'
import type { Orchestrator } from '@/server/orchestrator/contract'
import { createOrchestrator } from '@/server/orchestrator/orchestrator'
import type { Batch } from '@/server/ports/journal'
import { createRunner } from '@/server/runner/runner'
import { openStore } from '@/server/store/open'
import { createSystemClock } from '@/server/system-clock'
import { createSystemIds } from '@/server/system-ids'

/** The real engine over a real file in a folder of its own, with a tap on what it commits. */
export type BenchEngine = {
  readonly orchestrator: Orchestrator
  readonly batches: Batch[]
  define(definition: PipelineDefinition): Promise<void>
  /** Starts a run; resolves when its outcome is durable. */
  run(pipelineId: string, inputs?: JsonObject): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export async function openEngine(options: { keepBatches: boolean }): Promise<BenchEngine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'penstock-bench-'))
  const store = await openStore({ dataDir, tenantId: 'default' })
  const clock = createSystemClock()
  const ids = createSystemIds()
  const batches: Batch[] = []
  const fail = (what: unknown) => {
    process.stderr.write(`${String(what)}\n`)
    process.exit(1)
  }
  const artifacts = openArtifactStore({ dataDir, rows: store.artifactRows, clock, ids })
  const runner = createRunner({
    childEntry: new URL('./runner.mjs', import.meta.url),
    filesDir: join(dataDir, 'files'),
    workRoot: join(dataDir, 'work'),
    artifacts,
    clock,
    log: fail,
  })
  const journal = {
    read: store.journal.read,
    commit(batch: Batch) {
      if (options.keepBatches) batches.push(batch)
      return store.journal.commit(batch)
    },
  }
  const orchestrator = createOrchestrator(
    {
      ...store,
      journal,
      artifacts,
      runner,
      clock,
      ids,
      tasks: taskCatalog,
      warn: (what, error) => fail(`${what}: ${String(error)}`),
      fatal: fail,
    },
    { maxConcurrentTasks: 100 },
  )
  await orchestrator.recover()
  const ends = new Map<string, () => void>()
  orchestrator.onCommit(({ executionId, row }) => {
    if (row?.finishedAt == null) return
    ends.get(executionId)?.()
    ends.delete(executionId)
  })
  return {
    orchestrator,
    batches,
    async define(definition) {
      const revision = {
        pipelineId: definition.id,
        definition: definition as never,
        text: null,
        digest: definition.id,
        createdAt: 0,
        createdBy: 'bench',
      }
      await store.pipelines.create({ name: definition.id, description: null, labels: {}, revision })
    },
    async run(pipelineId, inputs = {}) {
      const actor = { name: 'bench', roles: [] }
      const answer = await orchestrator.start({
        pipelineId,
        revision: 1,
        inputs,
        actor,
        priority: 5,
        labels: {},
        mocks: {},
      })
      if (!answer.ok) throw new Error(answer.rejection.message)
      await new Promise<void>((resolve) => ends.set(answer.executionId, resolve))
    },
    async [Symbol.asyncDispose]() {
      await orchestrator.stop()
      await store.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
