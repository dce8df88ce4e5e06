import { z } from 'zod'
import { withCursor } from './cursor'
import { DomainError } from './domain-error'
import { executionSummary } from './execution-summary'
import { operation } from './operation'
import { durationField, idField, instantField, pageFields } from './request-fields'
import {
  exampleSummary,
  executionStatuses,
  executionSummary as executionSummaryAnswer,
} from './schemas/execution'
import { pageOf } from './schemas/json'

const YEAR_MS = 366 * 86_400_000

/**
 * Executions, newest first. `label` is `key:value`; `status` may name several. A list looks at so many runs for one page: where a filter
 * fits few of them, a page may be short, or empty, and still have a next one.
 */
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
    revision: z.int().min(1).optional().describe('Of the pipeline that the filter names.'),
    requested_by: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Who started it: the id of a principal, or the name.'),
    text: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe(
        'Words that all stand in the id, the pipeline, the labels, the inputs, the error or the name of who started it.',
      ),
    min_duration: durationField(0, YEAR_MS).optional(),
    max_duration: durationField(0, YEAR_MS).optional(),
    from: instantField.optional(),
    to: instantField.optional(),
  }),
  answer: pageOf(executionSummaryAnswer),
  example: { request: { status: ['running'] }, answer: { items: [exampleSummary], next_cursor: null } },
  run: async (ctx, _caller, request) => {
    const {
      limit,
      cursor,
      pipeline,
      status,
      handled_failures,
      mocked,
      label,
      revision,
      requested_by,
      text,
      from,
      to,
    } = request
    if (revision !== undefined && pipeline === undefined) throw revisionOfNothing()
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
        ...(revision === undefined ? {} : { revision }),
        ...(requested_by === undefined ? {} : { requestedBy: requested_by }),
        ...(text === undefined ? {} : { text }),
        ...tookOf(request, ctx.clock.now()),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      }),
    )
    return { items: page.items.map(executionSummary), next_cursor: page.nextCursor }
  },
})

/** A run that goes on is compared by what it has taken until now. */
function tookOf(
  {
    min_duration: least,
    max_duration: most,
  }: { min_duration?: number | undefined; max_duration?: number | undefined },
  now: number,
) {
  if (least === undefined && most === undefined) return {}
  return { took: { now, ...(least === undefined ? {} : { least }), ...(most === undefined ? {} : { most }) } }
}

const revisionOfNothing = () =>
  new DomainError('invalid_request', 'The request is not valid: see the issues.', [
    {
      path: ['revision'],
      code: 'needs_pipeline',
      message: 'a revision is a number of one pipeline: name it by pipeline',
    },
  ])
