import type { z } from 'zod'
import type { TaskDescription } from '@/core/pipeline/definition/task-description'

/** What a task type promises. No implementation: that lives on the server, complete by type. */
export type TaskContract = TaskDescription & {
  title: string
  description: string
  category: 'data' | 'code' | 'flow' | 'people' | 'output'
  /** Name of a lucide icon. */
  icon: string
  /** An object schema, strict unless the task takes any keys. Parses what the bindings gave. */
  input: z.ZodType<Record<string, unknown>>
  /** A sample of inputBindings that is valid as it stands. */
  example: Record<string, unknown>
}
