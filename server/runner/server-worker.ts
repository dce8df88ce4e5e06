import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { AttemptResult } from '@/server/ports/runner'
import type { ServerTask } from '@/tasks/server-runs'
import { outputError } from '@/tasks/support/outputs'
import { asNodeError } from '@/tasks/support/task-failure'
import { createAttemptLog } from './attempt-log'
import { reportEnd, verdictOf } from './attempt-result'
import { takeProducedFiles } from './produced-files'
import { startWorkerLoop } from './worker-loop'
import type { RunOrder, StopReason, WorkerLink } from './worker-protocol'

type ServerWorkerOptions = {
  readonly tasks: ReadonlyMap<string, ServerTask>
  /** Folder in which attempts get theirs. */
  readonly workRoot: string
}

/** Runs trusted, cheap tasks in this process: any number at once. */
export function startServerWorker(link: WorkerLink, options: ServerWorkerOptions): void {
  let started = 0
  const loop = startWorkerLoop(link, null, (order) => {
    started += 1
    const workDir = join(options.workRoot, `s${started}`)
    return startAttempt(link, order, {
      task: options.tasks.get(order.task)!,
      workDir,
      finished: () => loop.finished(order),
    })
  })
}

type Attempt = { readonly task: ServerTask; readonly workDir: string; readonly finished: () => void }

/** No timer, no folder and no copy for tasks that need none: thousands of these run in a second. */
function startAttempt(link: WorkerLink, order: RunOrder, { task, workDir, finished }: Attempt) {
  const { work, token } = order
  // Few tasks listen: a signal is made when one is asked for.
  let controller: AbortController | null = null
  let over = false
  const finish = (result: AttemptResult) => {
    if (over) return
    over = true
    finished()
    void reportEnd(link, order, result)
  }
  const log = createAttemptLog(
    (lines) => void link.report({ type: 'log', work, token, lines }),
    () => undefined,
  )
  const run = async (): Promise<AttemptResult> => {
    if (task.folder) await mkdir(workDir, { recursive: true, mode: 0o700 })
    void link.report({ type: 'begin', work, token })
    const outputs = await task.run(order.input, {
      idempotencyKey: work,
      traceparent: order.traceparent,
      get signal() {
        controller ??= new AbortController()
        return controller.signal
      },
      workDir,
      log: log.write,
      progress: ({ ratio, message }) => void link.report({ type: 'progress', work, token, ratio, message }),
    })
    const error = outputError(outputs)
    if (error !== null) return { ok: false, error }
    const taken = await takeProducedFiles(outputs, {
      workDir,
      outputs: task.files,
      store: (name, contentType, content) => link.store({ work, token, name, contentType }, content),
    })
    return { ok: true, outputs: taken }
  }
  const attempt = async () => {
    let result: AttemptResult
    try {
      result = await run()
    } catch (thrown) {
      result = { ok: false, error: asNodeError(thrown) }
    }
    log.end()
    if (task.folder) await rm(workDir, { recursive: true, force: true }).catch(() => undefined)
    finish(result)
  }
  void attempt()
  return {
    end(reason: StopReason) {
      controller?.abort()
      // Short and trusted: nobody needs to wait for it, and a result that still comes is not taken.
      finish(verdictOf(reason))
    },
  }
}
