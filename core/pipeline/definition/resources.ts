import { error, type Issue } from '@/core/pipeline/issue'
import { memoryHint, parseMemory } from '@/core/pipeline/memory-size'
import { idHint, idPattern, type NodeDefinition } from './definition'
import {
  CPU,
  DEFAULT_GROUP,
  GPU,
  GROUP_POOLS,
  groupPool,
  MEMORY,
  NOTHING_DEMANDED,
  SLOTS,
  type Demand,
} from './demand'
import type { TaskDescription } from './task-description'

/**
 * What an attempt of the node holds of the pools: what its task demands, a slot of its worker group, and its resources [H-5, H-6].
 * A node that waits, or that ends in an instant, holds nothing and may ask for nothing.
 */
export function readDemands(
  { resources, workerGroup = DEFAULT_GROUP }: Partial<NodeDefinition>,
  contract: TaskDescription | undefined,
  issues: Issue[],
): readonly Demand[] {
  const base = contract?.demands ?? NOTHING_DEMANDED
  if (resources === undefined && workerGroup === DEFAULT_GROUP) return base
  if (contract !== undefined && base.length === 0) {
    for (const [field, given] of [
      ['resources', resources !== undefined],
      ['workerGroup', workerGroup !== DEFAULT_GROUP],
    ] as const)
      if (given) issues.push(error([field], 'holds_nothing', whyNothing(contract), `remove ${field}`))
    return base
  }
  if (!idPattern.test(workerGroup)) {
    const message = `'${workerGroup.slice(0, 80)}' cannot be the name of a worker group`
    issues.push(error(['workerGroup'], 'invalid_id', message, idHint))
    return base
  }
  const demands = [...base]
  const add = (pool: string, amount: number | undefined) => {
    if (amount !== undefined && amount > 0) demands.push({ pool, amount: Math.max(LEAST, rounded(amount)) })
  }
  if (workerGroup !== DEFAULT_GROUP) add(groupPool(workerGroup, SLOTS), 1)
  add(groupPool(workerGroup, CPU), resources?.cpu)
  add(groupPool(workerGroup, MEMORY), memoryOf(resources?.memory, issues))
  add(groupPool(workerGroup, GPU), resources?.gpu)
  for (const [name, amount] of Object.entries(resources?.pools ?? {})) {
    const fault = nameFault(name)
    if (fault === null) add(name, amount)
    else issues.push(error(['resources', 'pools', name], 'invalid_id', fault.message, fault.hint))
  }
  return demands
}

/** Smaller amounts than a thousandth are not told apart. */
const LEAST = 0.001
const rounded = (amount: number) => Math.round(amount * 1_000) / 1_000

function memoryOf(text: string | undefined, issues: Issue[]): number | undefined {
  if (text === undefined) return undefined
  const bytes = parseMemory(text)
  if (bytes !== null) return bytes
  const message = `'${text.slice(0, 80)}' is not a size of memory`
  issues.push(error(['resources', 'memory'], 'invalid_value', message, memoryHint))
  return undefined
}

function nameFault(name: string): { readonly message: string; readonly hint: string } | null {
  if (!idPattern.test(name))
    return { message: `'${name.slice(0, 80)}' cannot be the name of a pool`, hint: idHint }
  if (name === SLOTS || name === 'children')
    return { message: `every attempt holds one of ${name} by itself`, hint: `remove ${name}` }
  return GROUP_POOLS.includes(name)
    ? { message: `${name} is a resource of its own`, hint: `write resources.${name}` }
    : null
}

function whyNothing({ type, placement }: TaskDescription): string {
  if (type === 'pipeline')
    return 'a node that runs a pipeline holds nothing itself: give resources to the nodes of that pipeline'
  return placement === 'engine'
    ? `'${type}' holds nothing while it waits`
    : `'${type}' is done in an instant and holds nothing`
}
