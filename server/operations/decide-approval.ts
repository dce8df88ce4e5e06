import { z } from 'zod'
import { DomainError } from './domain-error'
import { keyed } from './idempotency'
import { operation } from './operation'
import { isApproval, publish } from './publish-event'
import { missing } from './refusal'
import { idField, idempotencyField, jsonObjectField, nodeField } from './request-fields'
import { event, exampleEvent } from './schemas/event'

/**
 * A person's voice at a gate, published as `external.{node}.approved` or `.rejected` through the same operation as any external
 * event. Answers with the published event. The engine refuses who is not listed, what is over and what does not fit the form.
 */
export const decideApproval = operation({
  kind: 'command',
  summary: 'Approve or reject',
  right: 'decide',
  rest: { method: 'POST', path: '/executions/:execution_id/nodes/:node_id/decision' },
  request: z.strictObject({
    execution_id: idField,
    node_id: nodeField,
    decision: z.enum(['approved', 'rejected']),
    comment: z.string().max(4_000).nullable().optional(),
    form: jsonObjectField.nullable().optional(),
    idempotency_key: idempotencyField,
  }),
  answer: event,
  errors: [
    'already_decided',
    'execution_finished',
    'invalid_form',
    'not_an_approver',
    'not_found',
    'not_waiting',
    'payload_too_large',
    'set_apart',
  ],
  example: {
    request: { execution_id: '01JDW3Q8', node_id: 'approval', decision: 'approved', comment: 'Looks right' },
    answer: {
      ...exampleEvent,
      type: 'external.approval.approved',
      source: { entity_type: 'external', entity_id: 'approval' },
      payload: { comment: 'Looks right' },
    },
  },
  run: async (ctx, caller, request) => {
    const { execution_id, node_id, decision, comment, form } = request
    const key = keyed(ctx, caller, 'decide_approval', request)
    const gate = await isApproval(ctx, execution_id, node_id)
    if (gate === null) throw missing('node', node_id)
    if (!gate)
      throw new DomainError('not_waiting', `"${node_id}" is not an approval: there is nothing to decide.`)
    const published = await publish(
      ctx,
      caller,
      {
        executionId: execution_id,
        eventType: `external.${node_id}.${decision}`,
        payload: { ...(comment == null ? {} : { comment }), ...(form == null ? {} : { form }) },
      },
      key,
    )
    const [entry] = await ctx.journal.read(execution_id, { after: published.seq - 1, limit: 1 })
    if (!entry) throw new Error(`event ${published.id} was acknowledged but is not in the journal`)
    return entry.event
  },
})
