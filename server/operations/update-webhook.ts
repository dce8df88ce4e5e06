import { z } from 'zod'
import { operation } from './operation'
import { missing } from './refusal'
import { idField } from './request-fields'
import { acceptWebhook, exampleWebhook, webhook, webhookFields, webhookView } from './webhook-fields'

/**
 * Replaces a webhook. Its secret stays unless another is given or `rotate_secret` asks for a new one: then the answer has it, and
 * deliveries carry the signatures of both for a day.
 */
export const updateWebhook = operation({
  kind: 'command',
  summary: 'Replace a webhook, or rotate its secret',
  right: 'edit',
  rest: { method: 'PUT', path: '/webhooks/:webhook_id' },
  request: z.strictObject({
    webhook_id: idField,
    ...webhookFields,
    rotate_secret: z.boolean().default(false),
  }),
  answer: webhook.extend({ secret: z.string().nullable() }),
  errors: ['not_found'],
  example: {
    request: { webhook_id: '01JDW4AA', url: 'https://example.com/hook', event_types: ['pipeline.failed'] },
    answer: { ...exampleWebhook, secret: null },
  },
  run: async (ctx, _caller, { webhook_id, rotate_secret, ...request }) => {
    if ((await ctx.webhooks.get(webhook_id)) === null) throw missing('webhook', webhook_id)
    const fields = await acceptWebhook(ctx, request)
    const replaced = await ctx.webhooks.replace(webhook_id, fields, {
      secret: request.secret ?? null,
      rotate: rotate_secret,
    })
    if (replaced === null) throw missing('webhook', webhook_id)
    const { row, rotated } = replaced
    return { ...webhookView(row), secret: rotated ? ctx.webhooks.secretOf(webhook_id, row.secret) : null }
  },
})
