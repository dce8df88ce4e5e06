import { z } from 'zod'

/** The levels, the least first. */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = (typeof LEVELS)[number]

/**
 * A line of the log [H-21]: exactly these fields, each in every line. null: it does not apply. `event` is one word for what happens in runs
 * (`task_completed`, `pipeline_failed`), and a sentence for what happens to the server.
 */
export const logLine = z.strictObject({
  timestamp: z.iso.datetime({ precision: 3 }),
  level: z.enum(['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL']),
  execution_id: z.string().nullable(),
  phase_id: z.string().nullable(),
  event: z.string().min(1),
  /** The node, or `node/item`. */
  task_id: z.string().nullable(),
  duration_ms: z.number().nullable(),
  trace_id: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .nullable(),
  span_id: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .nullable(),
})

export type LogLine = z.output<typeof logLine>

/** What a line says besides when and how urgent. */
export type Said = Omit<LogLine, 'timestamp' | 'level'>
