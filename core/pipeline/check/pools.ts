import type { NodeDefinition, PipelineDefinition } from '@/core/pipeline/definition/definition'
import {
  CPU,
  DEFAULT_GROUP,
  GPU,
  GROUP_POOLS,
  groupPool,
  MEMORY,
  partsOfPool,
  SLOTS,
} from '@/core/pipeline/definition/demand'
import { amountText } from '@/core/pipeline/definition/pool-text'
import { error, type Issue } from '@/core/pipeline/issue'
import { parseMemory } from '@/core/pipeline/memory-size'
import { didYouMean } from '@/core/pipeline/suggest'

/**
 * What a definition demands that no run could ever have: pools and worker groups that do not exist, and more than a whole pool has.
 *
 * @param capacities of the pools that exist
 */
export function checkPools(
  { nodes }: Pick<PipelineDefinition, 'nodes'>,
  capacities: ReadonlyMap<string, number>,
): Issue[] {
  return nodes.flatMap((node, index) => issuesOfNode(node, ['nodes', index], capacities))
}

function issuesOfNode(
  { resources = {}, workerGroup = DEFAULT_GROUP }: NodeDefinition,
  path: (string | number)[],
  capacities: ReadonlyMap<string, number>,
): Issue[] {
  if (!capacities.has(groupPool(workerGroup, SLOTS))) {
    const message = `there is no worker group '${workerGroup}'`
    const known = [...capacities.keys()].map(partsOfPool).filter(({ pool }) => pool === SLOTS)
    const names = known.map(({ group }) => group)
    const make = `an admin makes it with PUT /pools/${groupPool(workerGroup, SLOTS)}`
    return [error([...path, 'workerGroup'], 'unknown_pool', message, didYouMean(workerGroup, names) ?? make)]
  }
  const memory = resources.memory === undefined ? null : parseMemory(resources.memory)
  const own = [
    [groupPool(workerGroup, CPU), resources.cpu ?? 0, [CPU]],
    [groupPool(workerGroup, MEMORY), memory ?? 0, [MEMORY]],
    [groupPool(workerGroup, GPU), resources.gpu ?? 0, [GPU]],
    ...Object.entries(resources.pools ?? {}).map(
      ([name, amount]) => [name, amount, ['pools', name]] as const,
    ),
  ] as const
  return own.flatMap(([pool, amount, field]) =>
    amount > 0 ? issuesOfAmount({ pool, amount }, [...path, 'resources', ...field], capacities) : [],
  )
}

function issuesOfAmount(
  { pool, amount }: { readonly pool: string; readonly amount: number },
  path: (string | number)[],
  capacities: ReadonlyMap<string, number>,
): Issue[] {
  const capacity = capacities.get(pool)
  if (capacity === undefined) {
    const named = [...capacities.keys()].filter((name) => !GROUP_POOLS.includes(partsOfPool(name).pool))
    const hint = didYouMean(pool, named) ?? `an admin makes it with PUT /pools/${pool}`
    return [error(path, 'unknown_pool', `there is no pool '${pool}'`, hint)]
  }
  if (amount <= capacity) return []
  const message = `${amountText(pool, amount)} is more than pool '${pool}' has: it could never start`
  return [error(path, 'pool_too_small', message, `at most ${amountText(pool, capacity)}`)]
}
