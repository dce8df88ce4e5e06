import { writeSync } from 'node:fs'
import {
  ANSWER_DESCRIPTOR,
  createLineReader,
  createLogBudget,
  FRAME_BYTES,
  LOG_LIMITS,
  type AnswerFrame,
  type LogStream,
  type RequestFrame,
  type RunFrame,
} from '@/server/runner/protocol'
import type { TaskRun } from '@/server/ports/runner'
import { outputError } from '@/tasks/support/outputs'
import { asNodeError } from '@/tasks/support/task-failure'
import { endProcessGroup, isGuard, startGuard, watchParent } from './guard'

/** How often the parent hears about lines that were dropped, in bytes of them. */
const DROPPED_STEP = 1024 * 1024

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
  const budget = createLogBudget()
  let reported = 0
  const report = () => {
    reported = budget.dropped.bytes
    send({ type: 'dropped', id, ...budget.dropped })
  }
  return {
    write: (stream: LogStream, text: string): void => {
      for (const line of text.split('\n')) {
        const bytes = Buffer.byteLength(line)
        if (budget.take(Math.min(bytes, LOG_LIMITS.lineBytes) + 1, bytes + 1)) {
          send({ type: 'log', id, stream, text: shortened(line, bytes) })
        } else if (reported === 0 || budget.dropped.bytes - reported > DROPPED_STEP) report()
      }
    },
    end: (): void => {
      if (budget.dropped.lines > 0) report()
    },
  }
}

function shortened(line: string, bytes: number): string {
  if (bytes <= LOG_LIMITS.lineBytes) return line
  const start = Buffer.from(line)
    .subarray(0, LOG_LIMITS.lineBytes - 40)
    .toString()
  return `${start}… (line of ${bytes} bytes)`
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
