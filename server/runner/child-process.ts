import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { readAnswer } from './answers'
import { withoutNetwork } from './network'
import {
  ANSWER_DESCRIPTOR,
  createLineReader,
  FRAME_BYTES,
  type AnswerFrame,
  type LogStream,
  type RequestFrame,
} from './protocol'

/** How a child ended. `started` is false when there never was a process. */
export type Ending = {
  readonly started: boolean
  /** Whether it ever came so far as to say that it is ready. */
  readonly ready: boolean
  readonly code: number | null
  readonly signal: string | null
  /** Why the runner killed it, when it did for a reason of the channel. */
  readonly cause: string | null
  /** The last line on its standard error. */
  readonly lastWords: string
}

/** Who hears what a child says. One at a time: the attempt that runs in it. */
type ChildListener = {
  answer(frame: Exclude<AnswerFrame, { type: 'ready' }>): void
  /** What was printed past the channel, as it came. */
  output(stream: LogStream, chunk: Buffer): void
  ended(ending: Ending): void
}

export type Child = {
  /** Whether it was started with the network of the server. */
  readonly network: boolean
  /** Types of tasks that have run in it: their libraries are loaded. */
  readonly warmFor: Set<string>
  attempts: number
  listener: ChildListener | null
  /** False when it is too large for the channel; nothing was sent then. */
  send(frame: RequestFrame): boolean
  /** SIGKILL to the whole process group. */
  kill(cause?: string): void
  /** Bytes of resident memory of it and of what it started; null where the system does not say (only Linux does) or the process is gone. */
  memory(): number | null
  readonly alive: () => boolean
  /** Resolves when the process is gone. */
  readonly ended: Promise<Ending>
}

export type ChildOptions = { readonly entry: URL; readonly folder: string; readonly heapMegabytes: number }

/** After the process ended, its pipes may be held open by something it started; no longer than this. */
const DRAIN_MS = 1_000

/**
 * Starts a child in a process group of its own, with nothing of the server's environment but where programs are found, and without
 * `network` in a namespace that has none, where the system permits it.
 * There are no heartbeats: the child's lease is the process itself. The kernel reports its end to its parent at once, and
 * silence means nothing (a script or a chart blocks the child's event loop for as long as it computes); work that
 * never ends is ended by the timeout of its node, and by nothing else.
 */
export function startChild({ entry, folder, heapMegabytes }: ChildOptions, network: boolean): Child {
  const flags = ['--disable-proto=delete', `--max-old-space-size=${heapMegabytes}`, '--no-deprecation']
  const before = network ? [] : (withoutNetwork() ?? [])
  const words = [...before, process.execPath, ...flags, fileURLToPath(entry), String(process.pid)]
  const child = spawn(words[0]!, words.slice(1), {
    cwd: folder,
    // Next declares NODE_ENV as something that every process has.
    env: { NODE_ENV: 'production', TZ: 'UTC', LANG: 'C.UTF-8', PATH: process.env.PATH },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  })
  // When the system has no descriptors left there are no pipes, whatever the types say; `error` follows.
  const stdin = child.stdin as Writable | null | undefined
  const stdout = child.stdout as Readable | null | undefined
  const stderr = child.stderr as Readable | null | undefined
  const answers = child.stdio?.[ANSWER_DESCRIPTOR] as Readable | null | undefined
  const streams = [stdin, stdout, stderr, answers].filter((stream) => stream != null)
  let ending: Ending | null = null
  let cause: string | null = null
  let lastWords = ''
  let ready = false
  let end: (ending: Ending) => void = () => undefined
  const self: Child = {
    network,
    warmFor: new Set(),
    attempts: 0,
    listener: null,
    send(frame) {
      const line = `${JSON.stringify(frame)}\n`
      if (Buffer.byteLength(line) > FRAME_BYTES.request) return false
      if (stdin?.writable === true) stdin.write(line)
      return true
    },
    kill(why) {
      cause ??= why ?? null
      if (child.pid === undefined || ending !== null) return
      try {
        process.kill(-child.pid, 'SIGKILL')
      } catch {
        child.kill('SIGKILL')
      }
    },
    memory: () => (child.pid === undefined || ending !== null ? null : residentBytes(child.pid)),
    alive: () => ending === null && child.exitCode === null && child.signalCode === null,
    ended: new Promise((resolve) => {
      end = resolve
    }),
  }
  const finish = (code: number | null, signal: string | null) => {
    if (ending !== null) return
    ending = { started: child.pid !== undefined, ready, code, signal, cause, lastWords }
    for (const stream of streams) stream.destroy()
    end(ending)
    self.listener?.ended(ending)
  }

  const answer = (line: string) => {
    const frame = readAnswer(line)
    if (frame === null) self.kill('the worker sent an answer that cannot be read')
    else if (frame.type === 'ready') ready = true
    else self.listener?.answer(frame)
  }
  answers?.on(
    'data',
    createLineReader(FRAME_BYTES.answer, answer, () => self.kill('the worker sent too large an answer')),
  )
  stdout?.on('data', (chunk: Buffer) => self.listener?.output('stdout', chunk))
  stderr?.on('data', (chunk: Buffer) => {
    lastWords = lastLine(lastWords, chunk)
    self.listener?.output('stderr', chunk)
  })
  // A pipe breaks when the child dies: `exit` reports its end, once.
  for (const stream of streams) stream.on('error', () => undefined)
  child.once('error', (error) => {
    if (child.pid === undefined) {
      cause = error.message
      finish(null, null)
    }
  })
  child.once('exit', (code, signal) => {
    // What it started must not outlive it.
    if (child.pid !== undefined) killGroup(child.pid)
    const timer = setTimeout(() => finish(code, signal), DRAIN_MS)
    child.once('close', () => {
      clearTimeout(timer)
      finish(code, signal)
    })
  })
  return self
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Nobody is left in it.
  }
}

function residentBytes(pid: number): number | null {
  try {
    const kilobytes = /^VmRSS:\s+([0-9]+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1]
    if (kilobytes === undefined) return null
    return programsOf(pid).reduce(
      (sum, started) => sum + (residentBytes(started) ?? 0),
      Number(kilobytes) * 1024,
    )
  } catch {
    return null
  }
}

/** What a process has started; none where the system does not say. */
function programsOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

function lastLine(before: string, chunk: Buffer): string {
  const text = before + chunk.subarray(-2_000).toString()
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return (lines.at(-1) ?? '').slice(-500)
}
