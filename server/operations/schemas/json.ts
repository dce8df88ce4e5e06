import { z } from 'zod'
import type { Json } from '@/core/engine/event'

/** Any JSON value of an answer. Answers are checked after they were parsed from JSON, so only absence is refused. */
export const jsonValue = z
  .custom<Json>((value) => value !== undefined)
  .meta({ id: 'Json', description: 'Any JSON value.' })

/** A JSON object with any keys. */
export const jsonObject = z.record(z.string(), jsonValue)

/** An instant on the wire: ISO 8601, UTC, milliseconds. */
export const instantText = z.iso
  .datetime()
  .meta({ description: 'ISO 8601, UTC, with milliseconds.', examples: ['2026-01-31T06:00:00.000Z'] })

/** The id of a person, a token or the system, beside the name as it was shown. */
export const principalId = z
  .string()
  .nullable()
  .meta({ description: 'The id never changes. null: recorded by an earlier version, which knew names only.' })

/** A number of something: 0, 1, 2 … */
export const count = z.int().min(0)

/** One page of a list. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Give it as `cursor` to get the next page; null: this is the last one.' }),
  })
}
