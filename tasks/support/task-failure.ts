import type { Json, NodeError, NodeErrorKind } from '@/core/engine/event'

const MESSAGE_BYTES = 2048

/** A failure that a task names itself. Everything else that a task throws is `task_failed`. */
export class TaskFailure extends Error {
  override readonly name = 'TaskFailure'
  readonly kind: string
  readonly detail: Json | undefined

  /** `kind` is a persisted word: one of the engine's, or (task `fail`) one of the author's. */
  constructor(kind: NodeErrorKind | (string & {}), message: string, detail?: Json) {
    super(message)
    this.kind = kind
    this.detail = detail
  }
}

/** At most 2 KB of a message, cut at a character and marked when something is missing. */
export function boundMessage(message: string, bytes = MESSAGE_BYTES): string {
  if (message.length * 3 <= bytes || Buffer.byteLength(message) <= bytes) return message
  const cut = Buffer.from(message)
    .subarray(0, bytes - 16)
    .toString()
    .replace(/\uFFFD+$/, '')
  return `${cut}… (shortened)`
}

/**
 * What a thrown value means for the attempt: its own kind for a TaskFailure, else `task_failed`.
 * Recognised by name and not by `instanceof`: the child and the server are different bundles.
 */
export function asNodeError(thrown: unknown): NodeError {
  if (typeof thrown !== 'object' || thrown === null) {
    return { kind: 'task_failed', message: boundMessage(`the task threw ${String(thrown)}`) }
  }
  const message = 'message' in thrown && typeof thrown.message === 'string' ? thrown.message : ''
  const named = 'name' in thrown && thrown.name === 'TaskFailure' && 'kind' in thrown
  const kind = named && typeof thrown.kind === 'string' ? thrown.kind : 'task_failed'
  const detail = named && 'detail' in thrown ? (thrown as TaskFailure).detail : undefined
  const error = {
    kind,
    message: boundMessage(message === '' ? 'the task failed without a message' : message),
  }
  return detail === undefined ? error : { ...error, detail }
}
