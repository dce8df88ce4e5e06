import { sumOf } from '@/core/pipeline/definition/demand'
import type { PoolView } from '@/core/engine/view/view'
import type { OperationContext } from './context'

/** Attempts and other work that are named of those who hold some of a pool. */
const HOLDERS_NAMED = 10

/** Who holds some of a pool: attempts by node, other work in words, and how much those hold who are not named. */
export async function holdersOf(
  ctx: OperationContext,
  name: string,
): Promise<Pick<PoolView, 'holders' | 'others' | 'more'>> {
  const { used, executions, others } = ctx.runs.poolOf(name)
  const found: PoolView['holders'][number][] = []
  let more = used
  for (const executionId of executions) {
    if (found.length >= HOLDERS_NAMED) break
    const nodes = new Map<string, { attempts: number; amount: number }>()
    const state = await ctx.runs.state(executionId)
    for (const { node, demands } of state?.inFlight.values() ?? []) {
      const amount = demands.find(({ pool }) => pool === name)?.amount
      if (amount === undefined) continue
      const own = nodes.get(node) ?? { attempts: 0, amount: 0 }
      nodes.set(node, { attempts: own.attempts + 1, amount: sumOf(own.amount, amount) })
    }
    for (const [node, { attempts, amount }] of nodes) {
      if (found.length >= HOLDERS_NAMED) break
      found.push({ execution_id: executionId, node_id: node, attempts })
      more = sumOf(more, -amount)
    }
  }
  const named = others.slice(0, HOLDERS_NAMED)
  for (const { amount } of named) more = sumOf(more, -amount)
  return { holders: found, others: named.map(({ what }) => what), more: Math.max(0, more) }
}
