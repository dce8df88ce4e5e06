import { z } from 'zod'
import { rollbackTriggers } from '@/core/pipeline/definition/definition'
import type { Json } from './event'

/** What the payloads of several events hold. */

export const json: z.ZodType<Json> = z.json()
export const instant = z.iso.datetime({ precision: 3 })
export const error = z.strictObject({ kind: z.string(), message: z.string(), detail: z.exactOptional(json) })

/** What was asked for; `timeout` and what follows are classes of failures. `manual`: a person did. */
export const rollbackTrigger = z.enum([...rollbackTriggers, 'manual'])
export const rollbackScope = z.enum(['execution', 'phase', 'node', 'artifact'])

/** Words of an attempt, at the work of a node or at what undoes it. */
export const attempt = {
  running: z.strictObject({
    ratio: z.number().min(0).max(1).nullable(),
    message: z.string().nullable(),
    /** The work begins with this, and is over by then. */
    timeout_at: z.exactOptional(instant),
  }),
  lost: z.strictObject({
    token: z.int().min(1),
    /** The token of the re-dispatch; absent when there is none. */
    next_token: z.exactOptional(z.int().min(1)),
    timeout_at: z.exactOptional(instant),
    begin_by: z.exactOptional(instant),
    losses: z.int().min(0),
    reason: z.string(),
    /** No other attempt follows. */
    final: z.boolean(),
  }),
}
export const retrying = z.strictObject({ attempt: z.int().min(2), delay_ms: z.number(), due_at: instant })
