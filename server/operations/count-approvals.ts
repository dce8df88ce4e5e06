import type { Principal } from '@/core/engine/principal'
import { z } from 'zod'
import type { OperationContext } from './context'
import { canDecide } from './list-approvals'
import { operation } from './operation'
import { count } from './schemas/json'

/** More than a badge shows are not counted, nor looked for among more open ones than these. */
const MOST_COUNTED = 100
const MOST_LOOKED_AT = 1_000

/** How many gates wait for people, and how many of them for the caller: at most 100. */
export const countApprovals = operation({
  kind: 'query',
  summary: 'Count the approvals that wait for people',
  right: 'read',
  rest: null,
  request: z.strictObject({}),
  answer: z.strictObject({ pending: count, mine: count }),
  example: { request: {}, answer: { pending: 3, mine: 1 } },
  run: async (ctx, caller) => {
    const pending = await ctx.approvals.count()
    return { pending, mine: pending === 0 ? 0 : await countMine(ctx, caller) }
  },
})

async function countMine(ctx: OperationContext, caller: Principal): Promise<number> {
  let mine = 0
  let cursor: string | null = null
  let seen = 0
  do {
    const page = await ctx.approvals.pending({ limit: 100, ...(cursor === null ? {} : { cursor }) })
    for (const approval of page.items) {
      if (await canDecide(ctx, approval, caller)) mine += 1
      if (mine === MOST_COUNTED) return mine
    }
    seen += page.items.length
    cursor = page.nextCursor
  } while (cursor !== null && seen < MOST_LOOKED_AT)
  return mine
}
