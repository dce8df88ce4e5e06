import { z } from 'zod'
import { DomainError } from './domain-error'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { delivery, deliveryView, exampleDelivery } from './webhook-fields'

/** Sends a delivery again, whatever became of it, with all its tries and under the same id. */
export const redeliver = operation({
  kind: 'command',
  summary: 'Send a delivery again',
  right: 'edit',
  rest: { method: 'POST', path: '/webhooks/:webhook_id/deliveries/:delivery_id/redeliver' },
  request: z.strictObject({ webhook_id: idField, delivery_id: z.string().min(1).max(200) }),
  answer: delivery,
  errors: ['not_found', 'webhook_inactive'],
  example: { request: { webhook_id: '01JDW4AA', delivery_id: '01JDW3Q8.14' }, answer: exampleDelivery },
  run: async (ctx, _caller, { webhook_id, delivery_id }) => {
    const webhook = await ctx.webhooks.get(webhook_id)
    if (webhook === null) throw missing('webhook', webhook_id)
    const [, executionId, seq] = /^([^.]{1,128})\.(\d{1,9})$/.exec(delivery_id) ?? []
    if (executionId === undefined) throw missing('delivery', delivery_id)
    if (!webhook.active) {
      throw new DomainError('webhook_inactive', 'The webhook is switched off: make it active first.')
    }
    const row = await ctx.webhooks.redeliver({ webhookId: webhook_id, executionId, seq: Number(seq) })
    if (row === null) throw missing('delivery', delivery_id)
    return deliveryView(row)
  },
})
