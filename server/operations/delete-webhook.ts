import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** Ends a subscription. What it was still owed is dropped with the record of its deliveries. */
export const deleteWebhook = operation({
  right: 'edit',
  request: z.strictObject({ webhook_id: idField }),
  run: async (ctx, _caller, { webhook_id }) => {
    if (!(await ctx.webhooks.remove(webhook_id))) throw missing('webhook', webhook_id)
    return null
  },
})
