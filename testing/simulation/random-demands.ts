import type { PipelineDefinition } from '@/core/pipeline/definition/definition'
import { taskCatalog } from '@/tasks/contracts'
import type { PoolRows } from '@/server/ports/pools'
import type { Runs } from '@/server/orchestrator/contract'
import type { Random } from './random'

/** Pools of a simulated world: small, so that many wait for several at once. */
const CAPACITIES = { gpu: 2, licences: 3, 'big.slots': 2 } as const

/** Sets the pools of a world. */
export async function setPools(rows: PoolRows): Promise<void> {
  for (const [name, capacity] of Object.entries(CAPACITIES))
    await rows.put({ name, capacity, updatedAt: 0, updatedBy: 'ada', updatedById: 'usr_ada' })
}

/** The definition with random demands of these pools in some of the nodes whose attempts hold anything at all. */
export function withDemands(definition: PipelineDefinition, random: Random): PipelineDefinition {
  const nodes = definition.nodes.map((node) => {
    const demands = node.task === undefined ? undefined : taskCatalog.get(node.task)?.demands
    if (demands === undefined || demands.length === 0 || random.chance(0.5)) return node
    const pools = { licences: random.whole(0, 3) }
    // Of a worker group this world has slots alone.
    if (random.chance(0.3)) return { ...node, workerGroup: 'big', resources: { pools } }
    return {
      ...node,
      resources: {
        ...(random.chance(0.5) ? { cpu: random.whole(1, 10) / 10, memory: `${random.whole(1, 900)}Mi` } : {}),
        ...(random.chance(0.4) ? { gpu: random.whole(1, 4) / 2 } : {}),
        pools,
      },
    }
  })
  return { ...definition, nodes }
}

/** Pools of which more is held than there is. */
export const overdrawn = (runs: Runs): string[] =>
  runs
    .pools()
    .filter(({ capacity, used }) => capacity !== null && used > capacity)
    .map(({ name, used, capacity }) => `${used} of ${capacity} of pool ${name} are held`)
