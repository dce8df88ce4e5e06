import { readFile, stat } from 'node:fs/promises'
import type { AttemptFiles, AttemptHandle, AttemptResult, AttemptSink, Runner } from '@/server/ports/runner'
import type { ArtifactStore } from '@/server/ports/artifacts'
import type { Clock } from '@/server/ports/clock'
import type { Ids } from '@/server/ports/ids'
import type { Trial, TrialEnd, TrialFile, TrialLine, Trials } from '@/server/ports/trials'

/** Trials that run at once, of all people: the other children are for runs. */
const MOST_AT_ONCE = 2
/** From a trial's beginning until its work begins: longer nobody waits for one. */
const BEGIN_MS = 60_000
/** Lines in the answer, the last ones. */
const MOST_LINES = 200
/** Bytes of a file that can be looked at in the answer, and of all of them. */
const PREVIEW = { one: 256 * 1024, all: 1024 * 1024 } as const
/** Files in the answer. */
const MOST_FILES = 50

export type TrialPorts = {
  readonly runner: Pick<Runner, 'dispatch'>
  /** Read, never written. */
  readonly artifacts: Pick<ArtifactStore, 'get' | 'pathOf'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly ids: Ids
  /** Counts the work of a trial where that of runs is counted, until the answer is called. */
  readonly occupy: (task: string, what: string) => () => void
}

/** Trials on the same runner as runs: the same children, the same rules of network and shell, the same limits as an attempt's. */
export function createTrials(ports: TrialPorts): Trials {
  const people = new Set<string>()
  return {
    async run(trial, signal) {
      if (people.has(trial.person)) return { busy: 'person' }
      if (people.size >= MOST_AT_ONCE) return { busy: 'server' }
      people.add(trial.person)
      try {
        return await attempt(ports, trial, signal)
      } finally {
        people.delete(trial.person)
      }
    },
  }
}

async function attempt(ports: TrialPorts, trial: Trial, signal?: AbortSignal): Promise<TrialEnd> {
  const { runner, clock, ids } = ports
  const executionId = ids.execution()
  const asked = clock.now()
  const preview = previewOf(ports, trial)
  const lines: TrialLine[] = []
  let handle: AttemptHandle | null = null
  const cancel = () => handle?.abort('cancelled')
  let began: number | null = null
  let callOff = clock.after(BEGIN_MS, () => handle?.abort('timeout'))
  const vacate = ports.occupy(trial.task, `a trial of '${trial.nodeId}'`)
  try {
    const ended = await new Promise<AttemptResult>((done) => {
      const sink: AttemptSink = {
        begun() {
          callOff()
          began = clock.now()
          callOff = clock.after(trial.timeoutMs, () => handle?.abort('timeout'))
        },
        progress: () => undefined,
        log(stream, text) {
          lines.push({ stream, text })
          if (lines.length > MOST_LINES) lines.shift()
        },
        done,
      }
      handle = runner.dispatch(
        {
          executionId,
          pipelineId: 'trial',
          nodeId: trial.nodeId,
          generation: 1,
          item: null,
          attempt: 1,
          token: 1,
          idempotencyKey: `${executionId}/${trial.nodeId}/1/0`,
          task: trial.task,
          input: trial.input,
          timeoutMs: trial.timeoutMs,
        },
        sink,
        preview.access,
      )
      if (signal?.aborted) cancel()
      else signal?.addEventListener('abort', cancel, { once: true })
    })
    const result = began === null && isTimeout(ended) ? NEVER_BEGAN : ended
    const durationMs = clock.now() - (began ?? asked)
    return { result, lines, files: preview.files, missing: preview.missing, durationMs }
  } finally {
    callOff()
    vacate()
    signal?.removeEventListener('abort', cancel)
  }
}

const isTimeout = (result: AttemptResult) => result.ok === false && result.error.kind === 'timeout'

const NEVER_BEGAN: AttemptResult = {
  ok: 'lost',
  reason: `its work did not begin within ${BEGIN_MS / 1_000} s: every child process is busy`,
}

/** The files of a trial: it reads those of the executions that it names, and what it makes becomes a preview and no artifact. */
function previewOf({ artifacts, ids }: TrialPorts, { executions }: Trial) {
  const files: TrialFile[] = []
  const missing: string[] = []
  let room: number = PREVIEW.all
  const access: AttemptFiles = {
    pathOf: artifacts.pathOf,
    async get(_own, artifactId) {
      for (const execution of executions) {
        const row = await artifacts.get(execution, artifactId)
        if (row !== null) return row
      }
      missing.push(artifactId)
      return null
    },
    async putFile({ name, contentType, path }) {
      const { size: bytes } = await stat(path)
      const encoding = encodingOf(contentType)
      const shown = encoding !== null && bytes <= Math.min(PREVIEW.one, room)
      if (shown) room -= bytes
      const preview = shown ? { encoding, content: (await readFile(path)).toString(encoding) } : null
      const file = { artifactId: ids.artifact(), name, contentType, bytes }
      if (files.length < MOST_FILES) files.push({ ...file, preview })
      return file
    },
  }
  return { access, files, missing }
}

/** How a file of a type is written in JSON, or null when nobody could look at it there. */
function encodingOf(contentType: string): 'utf8' | 'base64' | null {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (type === 'image/png') return 'base64'
  return type.startsWith('text/') || type === 'application/json' || type === 'image/svg+xml' ? 'utf8' : null
}
