import type { JsonObject } from '@/core/engine/event'

/** What the server must know about a task of a child without loading its implementation (tasks/TYPE/needs.ts). */
export type ChildTaskNeeds = {
  /**
   * The input that names files: one, or several as `{ name: file }`, a file being a path or an artifact. They are copied into the
   * attempt's folder before it runs, and the task finds their names instead of them.
   */
  readonly staged: { readonly input: string; readonly many: boolean } | null
  /** The outputs in which it may return a file, or a list of files. */
  readonly files: readonly string[]
  /** Whether it may reach the network by itself; where the system can, it is taken away from the processes of all others. */
  readonly network: boolean
  /** Bytes that it may use on top of what an idle child uses, or null for the general limit. */
  memory(input: JsonObject): number | null
  /** The child ends after it, and with it whatever the task has started; after an abort it has so many milliseconds to end by itself. */
  readonly startsPrograms: { readonly graceMs: number } | null
}
