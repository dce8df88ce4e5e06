import { z } from 'zod'
import { withCursor } from './cursor'
import { operation } from './operation'
import { missing } from './refusal'
import { idField, pageFields } from './request-fields'
import { delivery, deliveryView, exampleDelivery } from './webhook-fields'
import { pageOf } from './schemas/json'

/** Deliveries of a webhook, newest first, of one status or of all. */
export const listDeliveries = operation({
  kind: 'query',
  summary: 'List deliveries of a webhook, newest first',
  right: 'edit',
  rest: { method: 'GET', path: '/webhooks/:webhook_id/deliveries' },
  request: z.strictObject({
    webhook_id: idField,
    ...pageFields,
    status: z.enum(['pending', 'delivered', 'dead']).optional(),
  }),
  answer: pageOf(delivery),
  errors: ['not_found'],
  example: { request: { webhook_id: '01JDW4AA' }, answer: { items: [exampleDelivery], next_cursor: null } },
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
