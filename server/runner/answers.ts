import { z } from 'zod'
import type { AnswerFrame } from './protocol'
import { logStreamSchema, nodeErrorSchema, outputsSchema, progressFields } from './worker-protocol'

const id = z.number().int().min(0)

const schema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('ready') }),
  z.strictObject({ type: z.literal('begun'), id }),
  z.strictObject({ type: z.literal('log'), id, stream: logStreamSchema, text: z.string() }),
  z.strictObject({ type: z.literal('dropped'), id, lines: id, bytes: id }),
  z.strictObject({ type: z.literal('progress'), id, ...progressFields }),
  z.strictObject({ type: z.literal('done'), id, outputs: outputsSchema }),
  z.strictObject({ type: z.literal('failed'), id, error: nodeErrorSchema, tainted: z.boolean() }),
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
