import { z } from 'zod'
import { count, instantText, jsonValue } from './json'

/** An approval that waits for people. */
export const approval = z
  .strictObject({
    execution_id: z.string(),
    node_id: z.string(),
    pipeline_id: z.string(),
    opened_at: instantText,
    due_at: instantText.nullable(),
    request: jsonValue,
    can_decide: z.boolean().meta({ description: 'The approval lists the caller, who has not decided yet.' }),
    approved: count.meta({ description: 'Approvals so far.' }),
    decided: z.enum(['approved', 'rejected']).nullable().meta({ description: 'What the caller decided.' }),
  })
  .meta({ id: 'Approval' })

export const exampleApproval = {
  execution_id: '01JDW3Q8',
  node_id: 'approval',
  pipeline_id: 'seattle_weather',
  opened_at: '2026-01-31T06:00:09.000Z',
  due_at: null,
  request: { message: '1461 rows', approvers: ['role:approver'], quorum: 1 },
  can_decide: true,
  approved: 0,
  decided: null,
} as const
