import { z } from 'zod'
import { jsonValue } from '@/core/pipeline/json-value'
import { formatDuration, parseDuration } from '@/core/pipeline/duration'

/** Fields that several requests share. Ids are only bounded here: whether one exists is what answers 404. */
export const idField = z.string().min(1).max(128)
export const nodeField = z.string().min(1).max(64)

/** `limit` and `cursor` of every list: 50 by default, 250 at most. */
export const pageFields = {
  limit: z.int().min(1).max(250).default(50),
  cursor: z.string().min(1).max(500).optional(),
}

/** An instant on the wire (ISO 8601 with an offset or Z), in milliseconds since the epoch for the stores. */
export const instantField = z.iso
  .datetime({ offset: true })
  .max(40)
  .transform((text) => Date.parse(text))

/** A type of events, or a pattern of types in which `*` stands for exactly one segment. */
export const eventPatternField = z
  .string()
  .max(300)
  .regex(
    /^(?:\*|[A-Za-z0-9_]+)(?:\.(?:\*|[A-Za-z0-9_]+))*$/,
    'an event type, or a pattern in which * stands for one segment',
  )

/** The value of an `Idempotency-Key` header. */
export const idempotencyField = z
  .string()
  .regex(/^[\x21-\x7e]{1,200}$/, 'an idempotency key has 1 to 200 visible ASCII characters')
  .optional()

/** A definition as JSON (`definition`) or as YAML text (`yaml`): exactly one of them. */
export const definitionFields = {
  definition: z.unknown().optional(),
  yaml: z.string().max(5_000_000).optional(),
}

/** What an author says of a revision. */
export const noteField = z.string().min(1).max(500).optional()

export const jsonObjectField = z.record(z.string().max(1_000), jsonValue)

/** The name of a secret, as definitions write it in `secret:NAME`. */
export const secretNameField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,62}$/, 'a name has 1 to 63 small letters, digits and _, and begins with a letter')

/** The name of a pool; that of a worker group stands before a point (`big.cpu`). */
export const poolNameField = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{0,62}(?:\.[a-z][a-z0-9_]{0,62})?$/,
    'a name has small letters, digits and _, and begins with a letter; GROUP.slots, GROUP.cpu, GROUP.memory and GROUP.gpu are pools of a worker group',
  )

/** A duration within bounds (milliseconds, inclusive) as text such as 30s or PT5M; in milliseconds for what runs. */
export function durationField(least: number, most: number) {
  const bounds = `write a duration from ${formatDuration(least)} to ${formatDuration(most)}, such as 30s or PT5M`
  return z
    .string()
    .max(40)
    .describe(bounds)
    .transform((text, { addIssue }) => {
      const ms = parseDuration(text)
      if (ms !== null && ms >= least && ms <= most) return ms
      addIssue({ code: 'custom', message: bounds })
      return z.NEVER
    })
}
