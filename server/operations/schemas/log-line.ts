import { z } from 'zod'
import { count, instantText } from './json'

/** One line that an attempt wrote. */
export const logLine = z
  .strictObject({
    n: z.int().min(1).meta({ description: '1, 2, 3 … for each node of an execution.' }),
    timestamp: instantText,
    generation: z.int().min(1),
    attempt: count,
    item: count.nullable(),
    stream: z.enum(['stdout', 'stderr', 'log']),
    text: z.string(),
  })
  .meta({ id: 'LogLine' })

export const exampleLogLine = {
  n: 1,
  timestamp: '2026-01-31T06:00:00.100Z',
  generation: 1,
  attempt: 1,
  item: null,
  stream: 'stdout',
  text: '1461 rows',
} as const
