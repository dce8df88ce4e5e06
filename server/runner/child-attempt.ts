import { mkdir, rm } from 'node:fs/promises'
import type { JsonObject, NodeError } from '@/core/engine/event'
import type { Clock } from '@/server/ports/clock'
import type { AttemptFiles, AttemptRequest, AttemptResult, AttemptSink } from '@/server/ports/runner'
import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'
import { outputError, sayBytes, type TaskOutputs } from '@/tasks/support/outputs'
import { asNodeError, boundMessage } from '@/tasks/support/task-failure'
import { createAttemptLog } from './attempt-log'
import type { ChildPool } from './child-pool'
import type { Child, Ending } from './child-process'
import type { RunnerLimits } from './limits'
import { takeProducedFiles } from './produced-files'
import { FRAME_BYTES, LOG_LIMITS, type AnswerFrame } from './protocol'
import { stageFiles } from './stage-files'
import { endStrays } from './strays'

type ChildAttemptOptions = {
  /** Resolves when an earlier attempt of the same work is dead: it may take its time to end, and two must not do it at once. */
  readonly after: Promise<void>
  readonly id: number
  readonly needs: ChildTaskNeeds
  readonly workDir: string
  readonly filesDir: string
  readonly pool: ChildPool
  readonly artifacts: AttemptFiles
  readonly clock: Clock
  readonly limits: RunnerLimits
}

/** Signals that say that something outside ended the process, and not what ran in it. */
const FROM_OUTSIDE: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']

/**
 * One attempt in a child: stage its files, wait for a child, run, hold its limits, take what it made, give the child back.
 * The first verdict stands: once an attempt was ended from outside, a result that still arrives changes nothing.
 * `finish` is called once, when the attempt's child has answered or is dead: never while it could still be working.
 */
export function startChildAttempt(
  request: AttemptRequest,
  sink: AttemptSink,
  finish: (result: AttemptResult) => void,
  options: ChildAttemptOptions,
): { end(verdict: AttemptResult): void } {
  const { id, needs, workDir, pool, clock, limits } = options
  const graceMs = needs.startsPrograms?.graceMs ?? limits.abortGraceMs
  let verdict: AttemptResult | null = null
  let child: Child | null = null
  let over = false
  let memoryLimit = limits.memoryBytes
  let leaveQueue: (() => void) | null = null
  const undo: (() => void)[] = []
  const log = createAttemptLog(sink, () => {
    const most = sayBytes(LOG_LIMITS.flood)
    kill(
      failed({
        kind: 'output_too_large',
        message: `printed more than ${most}, the most that an attempt may print`,
      }),
    )
  })

  const close = async (result: AttemptResult, spent: boolean) => {
    if (over) return
    over = true
    for (const step of undo) step()
    log.end()
    if (child !== null) pool.release(child, spent || needs.startsPrograms !== null)
    if (needs.startsPrograms !== null) await endStrays(workDir)
    await rm(workDir, { recursive: true, force: true }).catch(() => undefined)
    finish(verdict ?? result)
  }

  /** Ends the child at once; `finish` follows when it is dead. */
  const kill = (result: AttemptResult) => {
    verdict ??= result
    child?.kill()
  }

  const end = (result: AttemptResult) => {
    if (over || verdict !== null) return
    verdict = result
    if (child !== null) {
      child.send({ type: 'abort', id })
      const timer = setTimeout(() => child?.kill(), graceMs)
      undo.push(() => clearTimeout(timer))
    } else if (leaveQueue !== null) {
      leaveQueue()
      void close(result, false)
    }
  }

  const complete = async (outputs: TaskOutputs) => {
    try {
      const error = outputError(outputs)
      if (error !== null) return await close(failed(error), false)
      const { executionId, nodeId } = request
      const taken = await takeProducedFiles(outputs, {
        executionId,
        nodeId,
        workDir,
        outputs: needs.files,
        artifacts: options.artifacts,
      })
      await close({ ok: true, outputs: taken }, verdict !== null)
    } catch (thrown) {
      await close(failed(asNodeError(thrown)), verdict !== null)
    }
  }

  const answer = (frame: Exclude<AnswerFrame, { type: 'ready' }>) => {
    // an answer carries the number of its dispatch; one of an earlier attempt is not this one's.
    if (frame.id !== id || over) return
    if (frame.type === 'log') log.write(frame.stream, frame.text)
    else if (frame.type === 'dropped') log.dropped(frame.lines, frame.bytes)
    else if (frame.type === 'progress') sink.progress({ ratio: frame.ratio, message: frame.message })
    else if (frame.type === 'done') void complete(frame.outputs)
    else void close(failed(frame.error), frame.tainted || verdict !== null)
  }

  const watch = (running: Child, own: number | null) => {
    if (own !== null) memoryLimit = Math.min(memoryLimit, own + MEMORY_SLACK + (running.memory() ?? 0))
    const sampler = setInterval(() => {
      const bytes = running.memory() ?? 0
      if (bytes <= memoryLimit) return
      const message = `used more than ${sayBytes(memoryLimit)} of memory (${sayBytes(bytes)} when it was ended)`
      kill(failed({ kind: 'task_failed', message, detail: { limit: memoryLimit, bytes } }))
    }, limits.sampleMs)
    undo.push(() => clearInterval(sampler))
    const now = clock.now()
    const deadline = request.deadline === null ? null : request.deadline + limits.deadlineGraceMs + graceMs
    const due = deadline ?? now + limits.wallMs
    const message = `did not end in time (${Math.max(0, due - now)} ms)`
    undo.push(clock.at(due, () => kill(failed({ kind: 'timeout', message }))))
  }

  const run = (taken: Child, input: JsonObject, own: number | null) => {
    leaveQueue = null
    child = taken
    child.listener = {
      answer,
      output: (stream, chunk) => log.raw(stream === 'stderr' ? 'stderr' : 'stdout', chunk),
      ended: (ending) => void close(resultOf(ending), true),
    }
    watch(taken, own)
    const { task, idempotencyKey } = request
    const { filesDir } = options
    if (taken.send({ type: 'run', id, task, input, idempotencyKey, workDir, filesDir })) return
    const message = `the input is larger than ${sayBytes(FRAME_BYTES.request)}; hand large data on as an artifact`
    void close(failed({ kind: 'invalid_input', message }), false)
  }

  const begin = async () => {
    try {
      const own = needs.memory(request.input)
      await options.after
      await mkdir(workDir, { recursive: true, mode: 0o700 })
      const input = await stage(request, options)
      if (verdict !== null) return await close(verdict, false)
      leaveQueue = pool.acquire(request.task, (taken) => run(taken, input, own))
    } catch (thrown) {
      await close(failed(asNodeError(thrown)), false)
    }
  }
  void begin()
  return { end }
}

/** A sandbox needs some memory of its own beside what the script may use. */
const MEMORY_SLACK = 192 * 1024 * 1024

async function stage(request: AttemptRequest, options: ChildAttemptOptions): Promise<JsonObject> {
  const { staged } = options.needs
  const files = staged === null ? undefined : request.input[staged.input]
  // A list is no file but the data themselves.
  if (staged === null || files === undefined || files === null || Array.isArray(files)) return request.input
  const plan = {
    executionId: request.executionId,
    workDir: options.workDir,
    filesDir: options.filesDir,
    artifacts: options.artifacts,
    limit: options.limits.stagedBytes,
  }
  const names = staged.many
    ? await stageFiles(files, plan)
    : (await stageFiles({ [staged.input]: files }, plan))[staged.input]
  return { ...request.input, [staged.input]: names ?? null }
}

/** A child that ended while it worked: lost when the cause lies outside the task, else the task's own failure. */
function resultOf(ending: Ending): AttemptResult {
  if (!ending.started)
    return { ok: 'lost', reason: `the worker could not be started: ${ending.cause ?? 'unknown'}` }
  const how = ending.signal ?? `exit ${ending.code ?? 'unknown'}`
  const words = ending.lastWords === '' ? '' : `: ${ending.lastWords}`
  if (!ending.ready) return { ok: 'lost', reason: `the worker did not come up (${how})${words}` }
  if (ending.cause !== null) return failed({ kind: 'output_too_large', message: ending.cause })
  if (ending.signal !== null && FROM_OUTSIDE.includes(ending.signal)) {
    return { ok: 'lost', reason: `the worker was killed from outside (${how})` }
  }
  return failed({ kind: 'task_failed', message: boundMessage(`the worker ended (${how})${words}`) })
}

function failed(error: NodeError): AttemptResult {
  return { ok: false, error }
}
