import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'

/** Ends a subscription. Its pending deliveries are dropped with the record of the others. */
export const deleteWebhook = operation({
  kind: 'command',
  summary: 'Delete a webhook with its deliveries',
  right: 'edit',
  rest: { method: 'DELETE', path: '/webhooks/:webhook_id' },
  request: z.strictObject({ webhook_id: idField }),
  answer: z.null(),
  errors: ['not_found'],
  example: { request: { webhook_id: '01JDW4AA' }, answer: null },
  run: async (ctx, _caller, { webhook_id }) => {
    if (!(await ctx.webhooks.remove(webhook_id))) throw missing('webhook', webhook_id)
    return null
  },
})
