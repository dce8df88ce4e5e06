import { z } from 'zod'
import { withCursor } from './cursor'
import { operation } from './operation'
import { pageFields } from './request-fields'
import { webhookView } from './webhook-fields'

/** Webhooks in the order of their creation, without their secrets. */
export const listWebhooks = operation({
  right: 'edit',
  request: z.strictObject(pageFields),
  run: async (ctx, _caller, { limit, cursor }) => {
    const page = await withCursor(ctx.webhooks.list({ limit, ...(cursor === undefined ? {} : { cursor }) }))
    return { items: page.items.map(webhookView), next_cursor: page.nextCursor }
  },
})
