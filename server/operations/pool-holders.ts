import { z } from 'zod'
import { formatInstant } from '@/core/engine/instant'
import { count, instantText } from './schemas/json'
import { sumOf } from '@/core/pipeline/definition/demand'
import type { OperationContext } from './context'

/** Attempts and other work that are named of those who hold some of a pool. */
const HOLDERS_NAMED = 10

/** A node of which attempts hold some of a pool. */
export const holder = z.strictObject({
  execution_id: z.string(),
  node_id: z.string(),
  attempts: count,
  amount: z.number(),
  since: instantText.meta({ description: 'When the first of these attempts began.' }),
})

export const exampleHolder = {
  execution_id: '01JDW3Q8',
  node_id: 'extract',
  attempts: 1,
  amount: 1,
  since: '2026-01-31T08:00:00.000Z',
} as const

/** Who holds some of a pool: attempts by node, other work in words, and how much those hold who are not named. */
export async function holdersOf(
  ctx: OperationContext,
  name: string,
): Promise<{
  readonly holders: readonly z.output<typeof holder>[]
  readonly others: readonly string[]
  readonly more: number
}> {
  const { used, executions, others } = ctx.runs.poolOf(name)
  const found: z.output<typeof holder>[] = []
  let more = used
  for (const executionId of executions) {
    if (found.length >= HOLDERS_NAMED) break
    const nodes = new Map<string, { attempts: number; amount: number; since: number }>()
    const state = await ctx.runs.state(executionId)
    for (const { node, demands, startedAt } of state?.inFlight.values() ?? []) {
      const amount = demands.find(({ pool }) => pool === name)?.amount
      if (amount === undefined) continue
      const own = nodes.get(node) ?? { attempts: 0, amount: 0, since: startedAt }
      nodes.set(node, {
        attempts: own.attempts + 1,
        amount: sumOf(own.amount, amount),
        since: Math.min(own.since, startedAt),
      })
    }
    for (const [node, { attempts, amount, since }] of nodes) {
      if (found.length >= HOLDERS_NAMED) break
      found.push({ execution_id: executionId, node_id: node, attempts, amount, since: formatInstant(since) })
      more = sumOf(more, -amount)
    }
  }
  const named = others.slice(0, HOLDERS_NAMED)
  for (const { amount } of named) more = sumOf(more, -amount)
  return { holders: found, others: named.map(({ what }) => what), more: Math.max(0, more) }
}
