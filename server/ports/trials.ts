import type { JsonObject } from '@/core/engine/event'
import type { AttemptResult } from './runner'

/** One node to run outside of any run. */
export type Trial = {
  /** Whose trial it is: one at a time. */
  readonly person: string
  readonly nodeId: string
  readonly task: string
  /** Resolved and validated input of the task. */
  readonly input: JsonObject
  readonly timeoutMs: number
  /** Executions whose artifacts the input may name. */
  readonly executions: readonly string[]
}

export type TrialLine = { readonly stream: 'stdout' | 'stderr' | 'log'; readonly text: string }

/** A file that the work made. It was not stored; a small one has a preview. */
export type TrialFile = {
  readonly artifactId: string
  readonly name: string
  readonly contentType: string
  readonly bytes: number
  readonly preview: { readonly encoding: 'utf8' | 'base64'; readonly content: string } | null
}

export type TrialEnd = {
  readonly result: AttemptResult
  /** The last lines, oldest first. */
  readonly lines: readonly TrialLine[]
  readonly files: readonly TrialFile[]
  /** Artifacts that the input names and no execution of the trial has. */
  readonly missing: readonly string[]
  readonly durationMs: number
}

/** Runs nodes outside of runs, a few at once. */
export interface Trials {
  /**
   * Resolves when the work has ended and nothing of it is left; `busy` says at once whose limit is reached. An abort of the signal
   * ends the work as cancelled.
   */
  run(trial: Trial, signal?: AbortSignal): Promise<TrialEnd | { readonly busy: 'person' | 'server' }>
}
