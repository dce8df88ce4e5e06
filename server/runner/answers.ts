import { z } from 'zod'
import { boundMessage } from '@/tasks/support/task-failure'
import type { AnswerFrame } from './protocol'

const id = z.number().int().min(0)
const stream = z.enum(['stdout', 'stderr', 'log'])
const error = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z0-9_]{0,62}$/),
  message: z.string().transform((text) => boundMessage(text)),
  detail: z.json().optional(),
})

const schema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('log'), id, stream, text: z.string() }),
  z.strictObject({ type: z.literal('dropped'), id, lines: id, bytes: id }),
  z.strictObject({
    type: z.literal('progress'),
    id,
    ratio: z.number().min(0).max(1).nullable(),
    message: z.string().max(2_000).nullable(),
  }),
  // The values came out of JSON.parse, so they are JSON: looking through eight megabytes again would block the server.
  z.strictObject({ type: z.literal('done'), id, outputs: z.record(z.string().max(200), z.unknown()) }),
  z.strictObject({ type: z.literal('failed'), id, error, tainted: z.boolean() }),
])

/** Reads a line of a child's answers; null when it is none. A child may be damaged: nothing it says is taken on trust. */
export function readAnswer(line: string): AnswerFrame | null {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return null
  }
  const parsed = schema.safeParse(value)
  return parsed.success ? (parsed.data as AnswerFrame) : null
}
