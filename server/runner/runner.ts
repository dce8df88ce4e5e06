import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { Egress } from '@/server/ports/egress'
import type {
  AttemptFiles,
  AttemptHandle,
  AttemptRequest,
  AttemptResult,
  AttemptSink,
  Runner,
} from '@/server/ports/runner'
import { childTaskNeeds } from '@/tasks/child-needs'
import { outputError } from '@/tasks/support/outputs'
import { serverTasks, type ServerTask } from '@/tasks/server-runs'
import { asNodeError } from '@/tasks/support/task-failure'
import { createAttemptLog } from './attempt-log'
import { startChildAttempt } from './child-attempt'
import { createChildPool } from './child-pool'
import { usualLimits, type RunnerLimits } from './limits'
import { takeProducedFiles } from './produced-files'
import { endStrays } from './strays'

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
  /** Told about what concerns the operator and no attempt. */
  readonly log?: (message: string) => void
}

type Running = { end(verdict: AttemptResult): void }

/**
 * Runs attempts: trusted, cheap tasks in this process, everything else in child processes with limits that are held here.
 * `done` comes exactly once for every dispatch and never inside it.
 */
export function createRunner(options: RunnerOptions): Runner {
  const limits: RunnerLimits = { ...usualLimits(), ...options.limits }
  const home = prepareHome(options)
  // Programs that outlived an earlier server are dead before anything is done again.
  const earlier = endStrays(options.workRoot)
  const ownTasks = serverTasks(options.egress)
  const pool = createChildPool(
    { entry: options.childEntry, home, heapMegabytes: limits.heapMegabytes },
    limits,
  )
  const running = new Set<Running>()
  /** By the key of the work: when the child that was last at it will have ended. */
  const ends = new Map<string, Promise<void>>()
  let stopped = false
  let dispatched = 0
  let allOver: (() => void) | null = null

  const dispatch = (
    request: AttemptRequest,
    sink: AttemptSink,
    artifacts: AttemptFiles = options.artifacts,
  ): AttemptHandle => {
    dispatched += 1
    const id = dispatched
    let attempt: Running | null = null
    const finish = once((result: AttemptResult) => {
      if (attempt !== null) running.delete(attempt)
      sink.done(result)
      if (running.size === 0) allOver?.()
    })
    const workDir = join(home, String(id))
    const serverTask = ownTasks.get(request.task)
    const switchedOffBy = options.disabledTasks.get(request.task)
    const needs = childTaskNeeds.get(request.task)
    if (stopped) {
      queueMicrotask(() => finish(LOST_BY_SHUTDOWN))
    } else if (switchedOffBy !== undefined) {
      const message = `${request.task} is switched off on this server; ${switchedOffBy}=true turns it on`
      queueMicrotask(() => finish({ ok: false, error: { kind: 'task_failed', message } }))
    } else if (serverTask !== undefined) {
      attempt = startServerAttempt(request, sink, finish, {
        task: serverTask,
        workDir,
        artifacts,
        runner: options,
      })
    } else if (needs !== undefined) {
      const { filesDir, clock } = options
      const { idempotencyKey } = request
      const after = ends.get(idempotencyKey) ?? earlier
      let ended: () => void = () => undefined
      const end = new Promise<void>((resolve) => (ended = resolve))
      ends.set(idempotencyKey, end)
      const finishChild = (result: AttemptResult) => {
        if (ends.get(idempotencyKey) === end) ends.delete(idempotencyKey)
        ended()
        finish(result)
      }
      attempt = startChildAttempt(request, sink, finishChild, {
        after,
        id,
        needs,
        workDir,
        filesDir,
        pool,
        artifacts,
        clock,
        limits,
      })
    } else {
      const message = `there is no task ${JSON.stringify(request.task.slice(0, 80))} that a worker could run`
      queueMicrotask(() => finish({ ok: false, error: { kind: 'invalid_input', message } }))
    }
    if (attempt !== null) running.add(attempt)
    return { abort: (reason) => attempt?.end(verdictOf(reason)) }
  }

  return {
    dispatch,
    async stop() {
      stopped = true
      for (const attempt of running) attempt.end(LOST_BY_SHUTDOWN)
      await pool.stop()
      if (running.size > 0) await new Promise<void>((resolve) => (allOver = resolve))
      await rm(home, { recursive: true, force: true }).catch(() => undefined)
    },
  }
}

const LOST_BY_SHUTDOWN: AttemptResult = { ok: 'lost', reason: 'the server is shutting down' }

function verdictOf(reason: 'cancelled' | 'timeout' | 'shutdown'): AttemptResult {
  if (reason === 'shutdown') return LOST_BY_SHUTDOWN
  const message = reason === 'timeout' ? 'took longer than its timeout' : 'was cancelled while it ran'
  return { ok: false, error: { kind: reason, message } }
}

type ServerAttempt = {
  readonly task: ServerTask
  readonly workDir: string
  readonly artifacts: AttemptFiles
  readonly runner: RunnerOptions
}

/** No timer, no folder and no copy for tasks that need none: thousands of these run in a second. */
function startServerAttempt(
  request: AttemptRequest,
  sink: AttemptSink,
  finish: (result: AttemptResult) => void,
  { task, workDir, artifacts, runner }: ServerAttempt,
): Running {
  // Few tasks listen: a signal is made when one is asked for.
  let controller: AbortController | null = null
  const log = createAttemptLog(sink, () => undefined)
  const run = async (): Promise<AttemptResult> => {
    if (task.folder) await mkdir(workDir, { recursive: true, mode: 0o700 })
    const outputs = await task.run(request.input, {
      idempotencyKey: request.idempotencyKey,
      get signal() {
        controller ??= new AbortController()
        return controller.signal
      },
      workDir,
      filesDir: runner.filesDir,
      log: log.write,
      progress: (progress) => sink.progress(progress),
    })
    const error = outputError(outputs)
    if (error !== null) return { ok: false, error }
    const { executionId, nodeId } = request
    return {
      ok: true,
      outputs: await takeProducedFiles(outputs, {
        executionId,
        nodeId,
        workDir,
        outputs: task.files,
        artifacts,
      }),
    }
  }
  queueMicrotask(async () => {
    let result: AttemptResult
    try {
      result = await run()
    } catch (thrown) {
      result = { ok: false, error: asNodeError(thrown) }
    }
    log.end()
    if (task.folder) await rm(workDir, { recursive: true, force: true }).catch(() => undefined)
    finish(result)
  })
  return {
    end(verdict) {
      controller?.abort()
      // Short and trusted: nobody needs to wait for it, and a result that still comes is not taken.
      queueMicrotask(() => finish(verdict))
    },
  }
}

/** A folder of this process in the work root; what earlier processes left is removed while work goes on. */
function prepareHome({ workRoot, log }: RunnerOptions): string {
  mkdirSync(workRoot, { recursive: true, mode: 0o700 })
  const left = readdirSync(workRoot)
  const home = join(workRoot, `${process.pid}-${randomBytes(4).toString('hex')}`)
  mkdirSync(home, { mode: 0o700 })
  for (const name of left) {
    rm(join(workRoot, name), { recursive: true, force: true }).catch((error: unknown) =>
      log?.(`an old work folder could not be removed: ${String(error)}`),
    )
  }
  return home
}

function once(finish: (result: AttemptResult) => void): (result: AttemptResult) => void {
  let called = false
  return (result) => {
    if (called) return
    called = true
    finish(result)
  }
}
