import type { z } from 'zod'
import type { JsonObject } from '@/core/engine/event'
import { TaskFailure } from './task-failure'

/** The input as its contract parses it. `invalid_input` with the first thing that is wrong. */
export function readInput<T>(schema: z.ZodType<T>, given: JsonObject): T {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new TaskFailure(
    'invalid_input',
    `${issue?.path.join('.') || 'input'}: ${issue?.message ?? 'invalid'}`,
  )
}
