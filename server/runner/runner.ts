import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { CHILDREN } from '@/core/pipeline/definition/demand'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { Egress } from '@/server/ports/egress'
import type { Runner } from '@/server/ports/runner'
import { childTaskNeeds } from '@/tasks/child-needs'
import { serverTasks } from '@/tasks/server-runs'
import { createChildPool } from './child-pool'
import { startChildWorker } from './child-worker'
import { usualLimits, type RunnerLimits } from './limits'
import { withoutNetwork } from './network'
import { startServerWorker } from './server-worker'
import { endStrays } from './strays'
import { WorkQueue } from './work-queue'

export type RunnerOptions = {
  /** The child's program: the built `runner.mjs`. */
  readonly childEntry: URL
  /** Folder of the files that pipelines may read by relative path. */
  readonly filesDir: string
  /** Folder in which attempts get theirs. It belongs to the runner alone: what an earlier process left in it is removed. */
  readonly workRoot: string
  readonly artifacts: ArtifactStore
  readonly clock: Clock
  /** How tasks of the server reach the network. */
  readonly egress: Egress
  /** Types that the operator keeps switched off, each with the setting that turns it on. */
  readonly disabledTasks: ReadonlyMap<string, string>
  readonly limits?: Partial<RunnerLimits>
  /** Called with what concerns the operator and no attempt. */
  readonly log?: (message: string) => void
}

/**
 * Runs attempts with two workers of this process: one runs trusted, cheap tasks here, the other everything else in child processes with
 * limits that it holds. `done` comes exactly once for every dispatch and never inside it.
 */
export function createRunner(options: RunnerOptions): Runner {
  const { artifacts, clock, filesDir, disabledTasks } = options
  const limits: RunnerLimits = { ...usualLimits(), ...options.limits }
  const workRoot = prepareWorkRoot(options)
  const queue = new WorkQueue({ artifacts, clock, filesDir, spoolDir: workRoot })
  const tasks = serverTasks(options.egress)
  startServerWorker(queue.connect({ pool: 'server', tasks: [...tasks.keys()], leaseMs: null }), {
    tasks,
    workRoot,
  })
  if (withoutNetwork() === null) {
    options.log?.(
      'this system does not permit network namespaces: queries, charts and scripts run with the network in reach',
    )
  }
  const pool = createChildPool(
    { entry: options.childEntry, folder: workRoot, heapMegabytes: limits.heapMegabytes },
    limits,
  )
  const children = queue.connect({
    pool: CHILDREN,
    tasks: [...childTaskNeeds.keys()],
    leaseMs: null,
    capacity: limits.maxChildren,
  })
  // Programs that outlived an earlier server are dead before anything is done again.
  const ready = endStrays(options.workRoot)
  void startChildWorker(children, { pool, workRoot, clock, limits, ready })

  return {
    dispatch(request, sink, files) {
      const switchedOffBy = disabledTasks.get(request.task)
      if (switchedOffBy === undefined) return queue.dispatch(request, sink, files)
      const message = `${request.task} is switched off on this server; ${switchedOffBy}=true turns it on`
      queueMicrotask(() => sink.done({ ok: false, error: { kind: 'task_failed', message } }))
      return { abort: () => undefined }
    },
    pools: () => queue.pools(),
    preparation: (work, token) => queue.preparation(work, token),
    async stop() {
      const ended = queue.stop()
      await pool.stop()
      await ended
      await rm(workRoot, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

/** A folder of this process in the work root; what earlier processes left is removed while work goes on. */
function prepareWorkRoot({ workRoot, log }: RunnerOptions): string {
  mkdirSync(workRoot, { recursive: true, mode: 0o700 })
  const left = readdirSync(workRoot)
  const own = join(workRoot, `${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(own, { mode: 0o700 })
  for (const name of left) {
    rm(join(workRoot, name), { recursive: true, force: true }).catch((error: unknown) =>
      log?.(`an old work folder could not be removed: ${String(error)}`),
    )
  }
  return own
}
