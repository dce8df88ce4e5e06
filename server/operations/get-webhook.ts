import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { exampleWebhook, webhook, webhookView } from './webhook-fields'

/** One webhook, without its secret. Its address can be a secret of the receiver's: only editors see it. */
export const getWebhook = operation({
  kind: 'query',
  summary: 'Get a webhook',
  right: 'edit',
  rest: { method: 'GET', path: '/webhooks/:webhook_id' },
  request: z.strictObject({ webhook_id: idField }),
  answer: webhook,
  errors: ['not_found'],
  example: { request: { webhook_id: '01JDW4AA' }, answer: exampleWebhook },
  run: async (ctx, _caller, { webhook_id }) => {
    const row = await ctx.webhooks.get(webhook_id)
    if (row === null) throw missing('webhook', webhook_id)
    return webhookView(row)
  },
})
