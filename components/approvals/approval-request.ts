import { z } from 'zod'

const requestSchema = z.object({
  message: z.string().catch(''),
  approvers: z.array(z.string()).catch([]),
  quorum: z.number().int().min(1).catch(1),
  form: z.record(z.string(), z.unknown()).nullable().catch(null),
})

export type ApprovalRequest = z.infer<typeof requestSchema>

/** What an approver decides on. The stored request may be of an earlier version: what it lacks is left out, never invented. */
export function readRequest(request: unknown): ApprovalRequest {
  const parsed = requestSchema.safeParse(request)
  return parsed.success ? parsed.data : { message: '', approvers: [], quorum: 1, form: null }
}
