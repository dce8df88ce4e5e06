import { z } from 'zod'
import { DomainError } from './domain-error'
import { keyed } from './idempotency'
import { operation } from './operation'
import { isApproval, publish } from './publish-event'
import { missing } from './refusal'
import { idField, idempotencyField, jsonObjectField, nodeField } from './request-fields'

/**
 * A person's voice at a gate, published as `external.{node}.approved` or `.rejected` through the same operation as any external
 * event. Answers with the published event. The engine refuses who is not listed, what is over and what does not fit the form.
 */
export const decideApproval = operation({
  right: 'decide',
  request: z.strictObject({
    execution_id: idField,
    node_id: nodeField,
    decision: z.enum(['approved', 'rejected']),
    comment: z.string().max(4_000).nullable().optional(),
    form: jsonObjectField.nullable().optional(),
    idempotency_key: idempotencyField,
  }),
  run: async (ctx, caller, { idempotency_key, ...request }) => {
    const { execution_id, node_id, decision, comment, form } = request
    const key = keyed(caller, 'decide_approval', idempotency_key, request)
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
