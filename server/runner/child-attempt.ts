import { mkdir, rm } from 'node:fs/promises'
import type { JsonObject, NodeError } from '@/core/engine/event'
import type { Clock } from '@/server/ports/clock'
import type { AttemptResult } from '@/server/ports/runner'
import type { ChildTaskNeeds } from '@/tasks/support/child-task-needs'
import { outputError, sayBytes, type TaskOutputs } from '@/tasks/support/outputs'
import { asNodeError, boundMessage } from '@/tasks/support/task-failure'
import { createAttemptLog } from './attempt-log'
import { verdictOf } from './attempt-result'
import type { ChildPool } from './child-pool'
import type { Child, Ending } from './child-process'
import type { RunnerLimits } from './limits'
import { takeProducedFiles } from './produced-files'
import { FRAME_BYTES, LOG_LIMITS, type AnswerFrame } from './protocol'
import { stageFiles } from './stage-files'
import { endStrays } from './strays'
import type { RunOrder, StopReason, WorkerLink } from './worker-protocol'

type ChildAttemptOptions = {
  /** Number of the dispatch in this worker. */
  readonly id: number
  readonly link: WorkerLink
  readonly needs: ChildTaskNeeds
  readonly workDir: string
  readonly pool: ChildPool
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly limits: RunnerLimits
  /** Called once, when the attempt's child has answered or is dead: never while it could still be working. */
  readonly finish: (result: AttemptResult) => void
}

/** Signals that say that something outside ended the process, and not what ran in it. */
const FROM_OUTSIDE: readonly string[] = ['SIGKILL', 'SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT']

/** Signals, and the exit code of Node's own abort, that say that native code failed in the child: a library, or the heap. */
const OF_A_CRASH: readonly string[] = [
  'SIGABRT',
  'SIGSEGV',
  'SIGBUS',
  'SIGILL',
  'SIGFPE',
  'SIGTRAP',
  'exit 134',
]

/** A sandbox needs some memory of its own beside what the script may use. */
const MEMORY_SLACK = 192 * 1024 * 1024

/**
 * One attempt in a child: stage its files, wait for a child, run, hold its limits, take what it made, give the child back.
 * The first verdict stands: once an attempt was ended from outside, a result that still arrives changes nothing.
 */
export function startChildAttempt(order: RunOrder, options: ChildAttemptOptions) {
  const attempt = new ChildAttempt(order, options)
  void attempt.begin()
  return { end: (reason: StopReason) => attempt.end(verdictOf(reason)) }
}

class ChildAttempt {
  readonly #order: RunOrder
  readonly #options: ChildAttemptOptions
  readonly #graceMs: number
  readonly #log
  /** Timers to stop when the attempt is over. */
  readonly #undo: (() => void)[] = []
  #verdict: AttemptResult | null = null
  #child: Child | null = null
  #leaveQueue: (() => void) | null = null
  #over = false

  constructor(order: RunOrder, options: ChildAttemptOptions) {
    this.#order = order
    this.#options = options
    this.#graceMs = options.needs.startsPrograms?.graceMs ?? options.limits.abortGraceMs
    const { work, token } = order
    this.#log = createAttemptLog(
      (lines) => void options.link.report({ type: 'log', work, token, lines }),
      () => this.#kill(failed({ kind: 'output_too_large', message: FLOODED })),
    )
  }

  async begin(): Promise<void> {
    const { needs, workDir, pool } = this.#options
    try {
      const own = needs.memory(this.#order.input)
      await mkdir(workDir, { recursive: true, mode: 0o700 })
      const input = await this.#stage()
      if (this.#verdict !== null) return await this.#close(this.#verdict, false)
      this.#leaveQueue = pool.acquire({ task: this.#order.task, network: needs.network }, (taken) =>
        this.#run(taken, input, own),
      )
    } catch (thrown) {
      await this.#close(failed(asNodeError(thrown)), false)
    }
  }

  /** Asks the child to end, and kills it after a while. */
  end(verdict: AttemptResult): void {
    if (this.#over || this.#verdict !== null) return
    this.#verdict = verdict
    const child = this.#child
    if (child !== null) {
      child.send({ type: 'abort', id: this.#options.id })
      const timer = setTimeout(() => child.kill(), this.#graceMs)
      this.#undo.push(() => clearTimeout(timer))
    } else if (this.#leaveQueue !== null) {
      this.#leaveQueue()
      void this.#close(verdict, false)
    }
  }

  /** Ends the child at once; the end of the attempt follows when it is dead. */
  #kill(result: AttemptResult): void {
    this.#verdict ??= result
    this.#child?.kill()
  }

  async #close(result: AttemptResult, spent: boolean): Promise<void> {
    if (this.#over) return
    this.#over = true
    const { pool, needs, workDir, finish } = this.#options
    for (const step of this.#undo) step()
    this.#log.end()
    if (this.#child !== null) pool.release(this.#child, spent || needs.startsPrograms !== null)
    if (needs.startsPrograms !== null) await endStrays(workDir)
    await rm(workDir, { recursive: true, force: true }).catch(() => undefined)
    finish(this.#verdict ?? result)
  }

  #run(taken: Child, input: JsonObject, own: number | null): void {
    this.#leaveQueue = null
    this.#child = taken
    taken.listener = {
      answer: (frame) => this.#answer(frame),
      output: (stream, chunk) => this.#log.raw(stream === 'stderr' ? 'stderr' : 'stdout', chunk),
      ended: (ending) => void this.#close(resultOf(ending), true),
    }
    this.#watch(taken, own)
    const { id, workDir } = this.#options
    const { task, work: idempotencyKey, traceparent } = this.#order
    if (taken.send({ type: 'run', id, task, input, idempotencyKey, traceparent, workDir })) return
    const message = `the input is larger than ${sayBytes(FRAME_BYTES.request)}; hand large data on as an artifact`
    void this.#close(failed({ kind: 'invalid_input', message }), false)
  }

  #answer(frame: Exclude<AnswerFrame, { type: 'ready' }>): void {
    // an answer carries the number of its dispatch; one of an earlier attempt is not this one's.
    if (frame.id !== this.#options.id || this.#over) return
    const { work, token } = this.#order
    const { link } = this.#options
    if (frame.type === 'begun') this.#begun()
    else if (frame.type === 'log') this.#log.write(frame.stream, frame.text)
    else if (frame.type === 'dropped') this.#log.leftOut(frame.lines, frame.bytes)
    else if (frame.type === 'progress')
      void link.report({ type: 'progress', work, token, ratio: frame.ratio, message: frame.message })
    else if (frame.type === 'done') void this.#complete(frame.outputs)
    else void this.#close(failed(frame.error), frame.tainted || this.#verdict !== null)
  }

  /** The timeout counts from here. The engine's own timer comes first; this one holds where that is late. */
  #begun(): void {
    const { link, clock, limits } = this.#options
    const { work, token, timeoutMs } = this.#order
    void link.report({ type: 'begin', work, token })
    if (timeoutMs === null) return
    const message = `took longer than its timeout of ${timeoutMs} ms`
    const most = timeoutMs + limits.timeoutGraceMs + this.#graceMs
    this.#undo.push(clock.after(most, () => this.#kill(failed({ kind: 'timeout', message }))))
  }

  async #complete(outputs: TaskOutputs): Promise<void> {
    try {
      const error = outputError(outputs)
      if (error !== null) return await this.#close(failed(error), false)
      const { needs, workDir, link } = this.#options
      const { work, token } = this.#order
      const taken = await takeProducedFiles(outputs, {
        workDir,
        outputs: needs.files,
        store: (name, contentType, content) => link.store({ work, token, name, contentType }, content),
      })
      await this.#close({ ok: true, outputs: taken }, this.#verdict !== null)
    } catch (thrown) {
      await this.#close(failed(asNodeError(thrown)), this.#verdict !== null)
    }
  }

  #watch(running: Child, own: number | null): void {
    const { limits } = this.#options
    const limit =
      own === null
        ? limits.memoryBytes
        : Math.min(limits.memoryBytes, own + MEMORY_SLACK + (running.memory() ?? 0))
    const sampler = setInterval(() => {
      const bytes = running.memory() ?? 0
      if (bytes <= limit) return
      const message = `used more than ${sayBytes(limit)} of memory (${sayBytes(bytes)} when it was ended)`
      this.#kill(failed({ kind: 'task_failed', message, detail: { limit, bytes } }))
    }, limits.sampleMs)
    this.#undo.push(() => clearInterval(sampler))
  }

  /** The input, with the names that its files have in the attempt's folder. */
  async #stage(): Promise<JsonObject> {
    const { needs, workDir, limits, link } = this.#options
    const { staged } = needs
    const { work, token } = this.#order
    const input = this.#order.input
    const files = staged === null ? undefined : input[staged.input]
    // A list is no file but the data themselves.
    if (staged === null || files === undefined || files === null || Array.isArray(files)) return input
    const plan = {
      workDir,
      limit: limits.stagedBytes,
      open: (label: string, file: { path: string } | { artifact_id: string }) =>
        link.open({ work, token, label, file }),
    }
    const names = staged.many
      ? await stageFiles(files, plan)
      : (await stageFiles({ [staged.input]: files }, plan))[staged.input]
    return { ...input, [staged.input]: names ?? null }
  }
}

const FLOODED = `printed more than ${sayBytes(LOG_LIMITS.flood)}, the most that an attempt may print`

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
  if (!OF_A_CRASH.includes(how)) {
    return failed({ kind: 'task_failed', message: boundMessage(`the worker ended (${how})${words}`) })
  }
  const message = boundMessage(`the worker ended (${how}), which is a crash${words}`)
  return failed({ kind: 'task_failed', message, detail: { crash: how } })
}

function failed(error: NodeError): AttemptResult {
  return { ok: false, error }
}
