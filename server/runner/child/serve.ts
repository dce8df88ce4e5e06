import { writeSync } from 'node:fs'
import {
  ANSWER_DESCRIPTOR,
  createLineReader,
  createLogWindow,
  FRAME_BYTES,
  LOG_LIMITS,
  shortenedLine,
  type AnswerFrame,
  type LogStream,
  type RequestFrame,
  type RunFrame,
} from '@/server/runner/protocol'
import type { TaskRun } from '@/server/ports/runner'
import { outputError } from '@/tasks/support/outputs'
import { asNodeError } from '@/tasks/support/task-failure'
import { endProcessGroup, isGuard, startGuard, watchParent } from './guard'

/** How often the parent hears about lines that are left out, in bytes of them. */
const DROPPED_STEP = 1024 * 1024
/** How often the parent gets the last lines so far, in milliseconds. */
const FLUSH_MS = 1_000

/**
 * The child's whole life: one attempt after another, as the parent asks, until the channel closes.
 * `entry` is the URL of the module that calls this (it is loaded a second time for the guard).
 * The process is started with the parent's process id as its only argument and with the folder of all work as its own.
 */
export function serve(entry: string, tasks: ReadonlyMap<string, TaskRun>): void {
  if (isGuard()) return watchParent()
  const parent = Number(process.argv[2])
  if (process.ppid !== parent) process.exit(0)
  startGuard(entry, parent)
  const startFolder = process.cwd()
  let running: { id: number; controller: AbortController } | null = null

  const start = async (frame: RunFrame): Promise<void> => {
    const controller = new AbortController()
    running = { id: frame.id, controller }
    const answer = await attempt(frame, tasks, controller.signal)
    // The attempt's folder goes away: a process without a working folder fails where nobody expects it.
    process.chdir(startFolder)
    running = null
    send(answer)
  }
  const request = (line: string): void => {
    const frame = JSON.parse(line) as RequestFrame
    if (frame.type === 'run') void start(frame)
    else if (running?.id === frame.id) running.controller.abort()
  }
  process.stdin.on(
    'data',
    createLineReader(FRAME_BYTES.request, request, () => process.exit(71)),
  )
  process.stdin.on('error', endProcessGroup)
  // The parent closed the channel or died: nobody waits for what this process does.
  process.stdin.on('end', endProcessGroup)
  send({ type: 'ready' })
}

async function attempt(
  frame: RunFrame,
  tasks: ReadonlyMap<string, TaskRun>,
  signal: AbortSignal,
): Promise<AnswerFrame> {
  const { id } = frame
  const log = createLog(id)
  let answer: AnswerFrame
  try {
    const run = tasks.get(frame.task)
    if (run === undefined) throw new Error(`the child has no task ${frame.task}`)
    process.chdir(frame.workDir)
    send({ type: 'begun', id })
    const outputs = await run(frame.input, {
      idempotencyKey: frame.idempotencyKey,
      traceparent: frame.traceparent,
      signal,
      workDir: frame.workDir,
      log: log.write,
      progress: ({ ratio, message }) => send({ type: 'progress', id, ratio, message }),
    })
    const error = outputError(outputs)
    answer = error === null ? { type: 'done', id, outputs } : { type: 'failed', id, error, tainted: false }
  } catch (thrown) {
    answer = { type: 'failed', id, error: asNodeError(thrown), tainted: isHostError(thrown) }
  }
  log.end()
  return answer
}

/**
 * A task says itself what it expects to go wrong. Anything else that it throws (a sandbox that failed in the host instead of
 * inside: stack, WebAssembly trap) leaves a process that cannot be trusted.
 */
function isHostError(thrown: unknown): boolean {
  return !(thrown instanceof Error && thrown.name === 'TaskFailure')
}

function createLog(id: number) {
  const window = createLogWindow<{ readonly stream: LogStream; readonly text: string }>()
  let reported = 0
  let flushedAt = 0
  let flooded = false
  let timer: NodeJS.Timeout | null = null
  /** Has it just printed so much that the parent will end it? */
  const floods = () => {
    const before = flooded
    flooded ||= window.total() > LOG_LIMITS.flood
    return flooded && !before
  }
  const report = () => {
    reported = window.skipped.bytes
    send({ type: 'dropped', id, ...window.skipped })
  }
  /** The last lines so far: a child that is killed has no time to hand them on. */
  const flush = () => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    flushedAt = performance.now()
    if (window.skipped.lines > 0) report()
    for (const line of window.drain()) send({ type: 'log', id, ...line })
  }
  return {
    write: (stream: LogStream, text: string): void => {
      for (const part of text.split('\n')) {
        const bytes = Buffer.byteLength(part)
        const line = { stream, text: shortenedLine(part, bytes) }
        if (window.take(line, Math.min(bytes, LOG_LIMITS.lineBytes) + 1, bytes + 1))
          send({ type: 'log', id, ...line })
        else if (floods() || performance.now() - flushedAt > FLUSH_MS) flush()
        else {
          timer ??= setTimeout(flush, FLUSH_MS).unref()
          if (window.skipped.bytes - reported > DROPPED_STEP) report()
        }
      }
    },
    end: flush,
  }
}

/** Waits until the parent has taken it: a child never holds a pile of messages. */
function send(frame: AnswerFrame): void {
  const bytes = Buffer.from(`${JSON.stringify(frame)}\n`)
  let sent = 0
  while (sent < bytes.length) {
    try {
      sent += writeSync(ANSWER_DESCRIPTOR, bytes, sent)
    } catch (thrown) {
      if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) endProcessGroup()
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
    }
  }
}
