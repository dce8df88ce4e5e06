import type { JsonObject } from '@/core/engine/event'
import { scriptMemory } from './script.javascript/memory'
import type { ChildTaskType } from './task-types'

/** What the server must know about a task of the child without loading its implementation. */
export type ChildTaskNeeds = {
  /** The input that names files: `{ name: path or artifact }`. They are copied into the attempt's folder before it runs. */
  readonly stagedInput: string | null
  /** The outputs in which it may return a file. */
  readonly files: readonly string[]
  /** Bytes that it may use on top of what an idle child uses, or null for the general limit. */
  memory(input: JsonObject): number | null
}

const byType: Readonly<Record<ChildTaskType, ChildTaskNeeds>> = {
  'script.javascript': { stagedInput: null, files: [], memory: (input) => scriptMemory(input) },
  'duckdb.query': { stagedInput: 'files', files: ['artifact'], memory: () => null },
  'chart.render': { stagedInput: null, files: ['artifact'], memory: () => null },
}

export const childTaskNeeds: ReadonlyMap<string, ChildTaskNeeds> = new Map(Object.entries(byType))
