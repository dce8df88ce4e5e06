import { z } from 'zod'
import { withCursor } from './cursor'
import { operation } from './operation'
import { pageFields } from './request-fields'
import { exampleWebhook, webhook, webhookView } from './webhook-fields'
import { pageOf } from './schemas/json'

/** Webhooks in the order of their creation, without their secrets. */
export const listWebhooks = operation({
  kind: 'query',
  summary: 'List webhooks',
  right: 'edit',
  rest: { method: 'GET', path: '/webhooks' },
  request: z.strictObject(pageFields),
  answer: pageOf(webhook),
  example: { request: {}, answer: { items: [exampleWebhook], next_cursor: null } },
  run: async (ctx, _caller, { limit, cursor }) => {
    const page = await withCursor(ctx.webhooks.list({ limit, ...(cursor === undefined ? {} : { cursor }) }))
    return { items: page.items.map(webhookView), next_cursor: page.nextCursor }
  },
})
