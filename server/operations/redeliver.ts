import { z } from 'zod'
import { DomainError } from './domain-error'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { deliveryView } from './webhook-fields'

/** Sends a delivery again, whatever became of it, with all its tries and under the same id. */
export const redeliver = operation({
  right: 'edit',
  request: z.strictObject({ webhook_id: idField, delivery_id: z.string().min(1).max(200) }),
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
