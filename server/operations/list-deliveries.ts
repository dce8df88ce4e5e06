import { z } from 'zod'
import { withCursor } from './cursor'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, pageFields } from './request-fields'
import { deliveryView } from './webhook-fields'

/** Deliveries of a webhook, newest first, of one status or of all. */
export const listDeliveries = operation({
  right: 'edit',
  request: z.strictObject({
    webhook_id: idField,
    ...pageFields,
    status: z.enum(['pending', 'delivered', 'dead']).optional(),
  }),
  run: async (ctx, _caller, { webhook_id, limit, cursor, status }) => {
    if ((await ctx.webhooks.get(webhook_id)) === null) throw missing('webhook', webhook_id)
    const page = await withCursor(
      ctx.webhooks.deliveries(webhook_id, {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === undefined ? {} : { status }),
      }),
    )
    return { items: page.items.map(deliveryView), next_cursor: page.nextCursor }
  },
})
