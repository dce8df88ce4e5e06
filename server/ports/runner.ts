import type { Json, JsonObject, NodeError } from '@/core/engine/event'
import type { Preparation } from '@/core/engine/view/preparation'
import type { ArtifactStore } from './artifacts'
import type { ArtifactRow } from './registry'

/** One attempt to run: identity, work and limits. `token` fences late results. */
export type AttemptRequest = {
  readonly executionId: string
  readonly pipelineId: string
  readonly nodeId: string
  readonly generation: number
  readonly item: number | null
  readonly attempt: number
  readonly token: number
  /** Stable over retries and re-dispatch: `execution/node/generation/item`. */
  readonly idempotencyKey: string
  readonly task: string
  /** Resolved and validated input of the task. */
  readonly input: JsonObject
  /** Milliseconds that the work may take from when it begins, or null. The engine's timer decides; a worker only makes sure of it. */
  readonly timeoutMs: number | null
  /** W3C trace context for whom the work calls; absent: nothing is traced. */
  readonly traceparent?: string
}

export type AttemptResult =
  | { readonly ok: true; readonly outputs: JsonObject }
  | { readonly ok: false; readonly error: NodeError }
  /** The worker died (or was never there): the attempt is lost, not failed. */
  | { readonly ok: 'lost'; readonly reason: string }

export type AttemptProgress = { readonly ratio: number | null; readonly message: string | null }

export type AttemptSink = {
  /** The work begins now: all that it needs is there. Once, before everything else but `done`. */
  begun(): void
  progress(progress: AttemptProgress): void
  /** `agoMs`: how long ago it was printed; absent: now. */
  log(stream: 'stdout' | 'stderr' | 'log', text: string, agoMs?: number): void
  /** Exactly once for every dispatch, also after an abort. */
  done(result: AttemptResult): void
}

export type AttemptHandle = {
  /** Ends the work for sure: abort signal first, then the death of the process. `done` follows (kind `cancelled` or `timeout`). */
  abort(reason: 'cancelled' | 'timeout' | 'shutdown'): void
}

/** The server's own access to the artifacts that an attempt reads and to the files that it makes. Workers see streams of it. */
export type AttemptFiles = Pick<ArtifactStore, 'get' | 'pathOf'> & {
  putFile(
    artifact: Parameters<ArtifactStore['putFile']>[0],
  ): Promise<Pick<ArtifactRow, 'artifactId' | 'name' | 'contentType' | 'bytes'>>
}

/** Workers that run the same tasks, and how many attempts they run at once. */
export type WorkerPool = {
  readonly name: string
  readonly tasks: readonly string[]
  /** Attempts that its workers can hold at once; null: any number. */
  readonly capacity: number | null
  /** Attempts that they hold. */
  readonly used: number
  /** Attempts that wait for one of them. */
  readonly waiting: number
}

/** Where attempts run. Dispatch never throws: what cannot be started is `done` with an error. */
export interface Runner {
  /** `files` stands in for the artifacts of the execution. */
  dispatch(request: AttemptRequest, sink: AttemptSink, files?: AttemptFiles): AttemptHandle
  /** The pools as they are at this moment: what an admission may hand out, and what is in use. */
  pools(): readonly WorkerPool[]
  /** Why the attempt of this work with this token has not begun; null: it has, or there is none. */
  preparation(idempotencyKey: string, token: number): Preparation | null
  /** Ends every worker; resolves when no child process is left. */
  stop(): Promise<void>
}

/** What an implementation of a task gets (tasks/TYPE/run.ts), in the server process or in a child. */
export type TaskContext = {
  readonly idempotencyKey: string
  readonly signal: AbortSignal
  /** W3C trace context for whom the work calls. */
  readonly traceparent?: string | undefined
  /** A folder of this attempt alone; files that it returns as artifacts lie in it. */
  readonly workDir: string
  log(stream: 'stdout' | 'stderr' | 'log', text: string): void
  progress(progress: AttemptProgress): void
}

/** A file in `workDir` that becomes an artifact; the runner replaces it by `{ artifact_id, name, content_type, bytes }`. */
export type ProducedFile = { readonly $file: string; readonly name: string; readonly contentType: string }

export type TaskRun = (
  input: JsonObject,
  context: TaskContext,
) => Promise<Record<string, Json | ProducedFile>>
