import { z } from 'zod'
import { DomainError } from './domain-error'
import { keyed, once } from './idempotency'
import { operation } from './operation'
import { idempotencyField } from './request-fields'
import { acceptWebhook, exampleWebhook, webhook, webhookFields, webhookView } from './webhook-fields'

/** Subscribes to the events that are committed from now on. The answer has the secret, and no later one does. */
export const createWebhook = operation({
  kind: 'command',
  summary: 'Subscribe an address to events',
  right: 'edit',
  rest: { method: 'POST', path: '/webhooks', status: 201 },
  request: z.strictObject({ ...webhookFields, idempotency_key: idempotencyField }),
  answer: webhook.extend({ secret: z.string() }),
  errors: ['limit_reached'],
  example: {
    request: { url: 'https://example.com/hook', event_types: ['pipeline.failed'] },
    answer: { ...exampleWebhook, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' },
  },
  run: async (ctx, caller, request) => {
    const key = keyed(ctx, caller, 'create_webhook', request)
    // The first answer is stored for repeated requests, and the secret in it stays sealed.
    const { sealed, ...created } = await once(ctx, key, async () => {
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
    return { ...created, secret: ctx.webhooks.secretOf(created.webhook_id, sealed) }
  },
})
