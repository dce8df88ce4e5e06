import type { z } from 'zod'
import type { TaskDescription } from '@/core/pipeline/definition/task-description'

/** What a task type promises. Pure: its implementation is `run.ts` beside it, which only the server and its workers load. */
export type TaskContract = TaskDescription & {
  title: string
  description: string
  category: 'data' | 'code' | 'flow' | 'people' | 'output'
  /** Name of the lucide icon that `icon.ts` beside it draws. */
  icon: string
  /** What other tools call the same, for the search in the editor. */
  keywords?: string
  /** An object schema, strict unless the task takes any keys. Parses what the bindings gave. */
  input: z.ZodType<Record<string, unknown>>
  /** The inputBindings of a new node in the editor; without it a new node has none. */
  defaults?: Readonly<Record<string, unknown>>
  /** A sample of inputBindings that is valid as it stands. */
  example: Record<string, unknown>
}
