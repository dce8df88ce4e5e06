import type { JsonObject } from '@/core/engine/event'
import { scriptMemory } from './script.javascript/memory'
import type { ChildTaskType } from './task-types'

/** What the server must know about a task of the child without loading its implementation. */
export type ChildTaskNeeds = {
  /**
   * The input that names files: one, or several as `{ name: file }`, a file being a path or an artifact. They are copied into the
   * attempt's folder before it runs, and the task finds their names in place of them.
   */
  readonly staged: { readonly input: string; readonly many: boolean } | null
  /** The outputs in which it may return a file, or a list of files. */
  readonly files: readonly string[]
  /** Bytes that it may use on top of what an idle child uses, or null for the general limit. */
  memory(input: JsonObject): number | null
  /** The child ends after it, and with it whatever the task has started; after an abort it has so many milliseconds to end by itself. */
  readonly startsPrograms: { readonly graceMs: number } | null
}

const byType: Readonly<Record<ChildTaskType, ChildTaskNeeds>> = {
  'script.javascript': {
    staged: null,
    files: [],
    memory: (input) => scriptMemory(input),
    startsPrograms: null,
  },
  'duckdb.query': {
    staged: { input: 'files', many: true },
    files: ['artifact'],
    memory: () => null,
    startsPrograms: null,
  },
  'chart.render': {
    staged: { input: 'data', many: false },
    files: ['artifact'],
    memory: () => null,
    startsPrograms: null,
  },
  shell: {
    staged: { input: 'files', many: true },
    files: ['artifacts'],
    memory: () => null,
    startsPrograms: { graceMs: 5_000 },
  },
}

export const childTaskNeeds: ReadonlyMap<string, ChildTaskNeeds> = new Map(Object.entries(byType))
