import { join } from 'node:path'
import type { Clock } from '@/server/ports/clock'
import { childTaskNeeds } from '@/tasks/child-needs'
import { reportEnd } from './attempt-result'
import { startChildAttempt } from './child-attempt'
import type { ChildPool } from './child-pool'
import type { RunnerLimits } from './limits'
import { startWorkerLoop } from './worker-loop'
import type { WorkerLink } from './worker-protocol'

export type ChildWorkerOptions = {
  readonly pool: ChildPool
  /** Folder in which attempts get theirs. */
  readonly workRoot: string
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly limits: RunnerLimits
  /** Resolves when programs that outlived an earlier process are dead: nothing is claimed before. */
  readonly ready: Promise<void>
}

/** Runs attempts in child processes of this one, as many at once as there may be children. */
export async function startChildWorker(link: WorkerLink, options: ChildWorkerOptions): Promise<void> {
  const { pool, workRoot, clock, limits } = options
  let started = 0
  await options.ready
  const loop = startWorkerLoop(link, limits.maxChildren, (order) => {
    started += 1
    return startChildAttempt(order, {
      id: started,
      link,
      needs: childTaskNeeds.get(order.task)!,
      workDir: join(workRoot, String(started)),
      pool,
      clock,
      limits,
      finish: (result) => {
        loop.finished(order)
        void reportEnd(link, order, result)
      },
    })
  })
}
