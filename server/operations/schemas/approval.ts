import { z } from 'zod'
import { mockedValue } from './execution'
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
    why_not: z
      .strictObject({
        reason: z.enum(['not_listed', 'requester', 'decided', 'closed', 'unreadable']).meta({
          description:
            'not_listed: the caller is not among the approvers. requester: they started the run, or reran it, and the approval excludes them. decided: they have decided. closed: it is decided. unreadable: its run cannot be read.',
        }),
        message: z.string(),
      })
      .nullable()
      .meta({ description: 'Why the caller cannot decide. null: they can.' }),
    approved: count.meta({ description: 'Approvals so far; `request.quorum` of them are needed.' }),
    mocked: z
      .array(mockedValue)
      .meta({ description: 'Values in the question that come from mocks, or were computed from them.' }),
    by_hand: z.array(z.string()).meta({
      description:
        'Nodes before it that people completed by hand; those of runs above or below as `PIPELINE/NODE`.',
    }),
    run_mocked: z
      .boolean()
      .meta({ description: 'The run holds values from mocks, in the question or elsewhere.' }),
    unreachable: z.string().nullable().meta({
      description:
        'Why it is never given: it waits for more approvals than people may give. null: it can be.',
    }),
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
  why_not: null,
  approved: 0,
  decided: null,
  mocked: [],
  by_hand: [],
  run_mocked: false,
  unreachable: null,
} as const
