import { z } from 'zod'
import { withCursor } from './cursor'
import { executionSummary } from './execution-summary'
import { operation } from './operation'
import { idField, instantField, pageFields } from './request-fields'
import {
  exampleSummary,
  executionStatuses,
  executionSummary as executionSummaryAnswer,
} from './schemas/execution'
import { pageOf } from './schemas/json'

/** Executions, newest first. `label` is `key:value`; `status` may name several. */
export const listExecutions = operation({
  kind: 'query',
  summary: 'List executions, newest first',
  right: 'read',
  rest: { method: 'GET', path: '/executions' },
  request: z.strictObject({
    ...pageFields,
    pipeline: idField.optional(),
    status: z.array(z.enum(executionStatuses)).min(1).max(executionStatuses.length).optional(),
    handled_failures: z.boolean().optional().meta({
      description:
        'Only those with handled failures, or only those without. A good run is `completed` without.',
    }),
    mocked: z
      .boolean()
      .optional()
      .meta({ description: 'Only those with values from mocks, or only those without.' }),
    label: z
      .string()
      .max(401)
      .regex(/^[^:]+:/, 'a label is written key:value')
      .optional(),
    from: instantField.optional(),
    to: instantField.optional(),
  }),
  answer: pageOf(executionSummaryAnswer),
  example: { request: { status: ['running'] }, answer: { items: [exampleSummary], next_cursor: null } },
  run: async (ctx, _caller, request) => {
    const { limit, cursor, pipeline, status, handled_failures, mocked, label, from, to } = request
    const colon = label?.indexOf(':') ?? -1
    const page = await withCursor(
      ctx.executions.list({
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(pipeline === undefined ? {} : { pipelineId: pipeline }),
        ...(status === undefined ? {} : { statuses: status }),
        ...(handled_failures === undefined ? {} : { handledFailures: handled_failures }),
        ...(mocked === undefined ? {} : { mocked }),
        ...(label === undefined
          ? {}
          : { label: { key: label.slice(0, colon), value: label.slice(colon + 1) } }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      }),
    )
    return { items: page.items.map(executionSummary), next_cursor: page.nextCursor }
  },
})
