import { z } from 'zod'
import { operation } from './operation'
import { count } from './schemas/json'

/** How many gates wait for people. */
export const countApprovals = operation({
  kind: 'query',
  summary: 'Count the approvals that wait for people',
  right: 'read',
  rest: null,
  request: z.strictObject({}),
  answer: z.strictObject({ pending: count }),
  example: { request: {}, answer: { pending: 3 } },
  run: async (ctx) => ({ pending: await ctx.approvals.count() }),
})
