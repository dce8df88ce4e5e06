import { z } from 'zod'
import { DomainError } from './domain-error'
import { keyed, once } from './idempotency'
import { operation } from './operation'
import { idempotencyField } from './request-fields'
import { acceptWebhook, webhookFields, webhookView } from './webhook-fields'

/** Subscribes to the events that are committed from now on. The answer tells the secret, which nothing tells again. */
export const createWebhook = operation({
  right: 'edit',
  request: z.strictObject({ ...webhookFields, idempotency_key: idempotencyField }),
  run: async (ctx, caller, { idempotency_key, ...request }) => {
    const key = keyed(ctx, caller, 'create_webhook', idempotency_key, request)
    // The first answer is kept for those who ask again, and the secret in it stays sealed.
    const { sealed, ...webhook } = await once(ctx, key, async () => {
      const fields = await acceptWebhook(ctx, request)
      const row = await ctx.webhooks.create(fields, {
        secret: request.secret ?? null,
        by: caller,
      })
      if (row === 'too_many') {
        throw new DomainError(
          'limit_reached',
          'There are as many webhooks as there may be: delete one first.',
        )
      }
      return { ...webhookView(row), sealed: row.secret }
    })
    return { ...webhook, secret: ctx.webhooks.secretOf(webhook.webhook_id, sealed) }
  },
})
