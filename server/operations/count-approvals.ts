import { z } from 'zod'
import { operation } from './operation'

/** How many gates wait for people. */
export const countApprovals = operation({
  right: 'read',
  request: z.strictObject({}),
  run: async (ctx) => ({ pending: await ctx.approvals.count() }),
})
