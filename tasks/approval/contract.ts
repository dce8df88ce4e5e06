import { NOTHING_DEMANDED } from '@/core/pipeline/definition/demand'
import { z } from 'zod'
import { idPattern, inputDefinitionSchema } from '@/core/pipeline/definition/definition'
import { issuesOfDefinitions } from '@/core/pipeline/definition/inputs'
import type { TaskContract } from '@/tasks/contract'
import { durationText, messageText } from '@/tasks/fields'

/** The fields of a form are declared as the inputs of a pipeline are; 50 at most. */
const formSchema = z
  .record(
    z.string().regex(idPattern, 'a field is named in lower case, such as new_price'),
    inputDefinitionSchema,
  )
  .superRefine((fields, context) => {
    if (Object.keys(fields).length > 50) {
      context.addIssue({ code: 'custom', message: 'a form has at most 50 fields' })
    }
    for (const { path, message } of issuesOfDefinitions(fields)) {
      context.addIssue({ code: 'custom', path, message })
    }
  })

/** Input of an approval, parsed. Defaults: quorum 1, rejectQuorum 1, onTimeout fail, no timeout. */
export const approvalInput = z
  .strictObject({
    message: messageText.meta({
      description: 'What is asked, and what the approver must know to decide.',
      contentMediaType: 'text/plain',
    }),
    approvers: z
      .array(
        z
          .string()
          .max(200)
          .regex(/^(user|role):[^\s:][^:]*$/, 'an approver is written user:NAME or role:NAME')
          .meta({ examples: ['role:approver', 'role:operator', 'role:editor', 'role:admin', 'user:'] }),
      )
      .min(1)
      .max(100)
      .describe('Who may decide: role:approver, or user: and a name.'),
    quorum: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ title: 'Approvals needed', description: 'How many must approve: 1 without it.' }),
    rejectQuorum: z
      .number()
      .int()
      .min(1)
      .max(100)
      .optional()
      .meta({ title: 'Rejections needed', description: 'How many must reject: 1 without it.' }),
    timeout: durationText.optional().meta({
      title: 'Deadline',
      description: 'How long people have, such as 30m, 8h or 2d. Without it the run waits.',
    }),
    onTimeout: z
      .enum(['fail', 'approve'])
      .optional()
      .meta({ title: 'After the deadline', description: 'Without it, the approval fails.' }),
    form: formSchema.optional().describe('What the approver fills in; others read it as the output form.'),
    excludeRequester: z
      .boolean()
      .optional()
      .meta({ title: 'Never who started the run', description: 'Whoever started the run may not decide.' }),
  })
  .superRefine(({ approvers, quorum = 1, rejectQuorum = 1, timeout, onTimeout }, context) => {
    const people = new Set(approvers)
    const open = approvers.some((approver) => approver.startsWith('role:'))
    for (const [name, value] of Object.entries({ quorum, rejectQuorum })) {
      // A role may have any number of members; named people are counted.
      if (!open && value > people.size) {
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `${name} is ${value}, but only ${people.size} approvers are listed`,
        })
      }
    }
    if (onTimeout !== undefined && timeout === undefined) {
      context.addIssue({ code: 'custom', path: ['onTimeout'], message: 'onTimeout needs a timeout' })
    }
  })

export type ApprovalInput = z.output<typeof approvalInput>

export const approval = {
  type: 'approval',
  title: 'Ask for approval',
  description: 'Waits until the listed people approve or reject.',
  category: 'people',
  icon: 'user-check',
  keywords: 'human manual review sign gate',
  input: approvalInput,
  output: {
    decision: { type: 'string', description: 'approved or rejected.' },
    approver: { type: 'string', description: 'Who decided.' },
    comment: { type: 'string', description: 'What they wrote.' },
    form: { type: 'object', description: 'The form as they filled it in.' },
    decided_at: { type: 'string', description: 'When, as ISO 8601 in UTC.' },
  },
  defaults: { approvers: ['role:approver'] },
  example: {
    message: 'Publish the report?',
    approvers: ['role:approver'],
    quorum: 1,
    timeout: '1d',
    onTimeout: 'fail',
  },
  placement: 'engine',
  demands: NOTHING_DEMANDED,
} satisfies TaskContract
