import { formatMemory } from '@/core/pipeline/memory-size'
import { CHILDREN, CPU, DEFAULT_GROUP, GPU, MEMORY, partsOfPool, SLOTS } from './demand'

const ofGroup = (group: string): string => (group === DEFAULT_GROUP ? '' : ` of worker group ${group}`)

/** What somebody waits for who lacks some of a pool; null: a slot. */
export function placeText(name: string | null): string {
  const { group, pool } = partsOfPool(name ?? SLOTS)
  switch (pool) {
    case SLOTS:
      return `a free slot${ofGroup(group)}`
    case CHILDREN:
      return 'a free child process'
    default:
      return poolText(name ?? SLOTS)
  }
}

/** A pool as people call it, after an amount of it or alone. */
export function poolText(name: string): string {
  const { group, pool } = partsOfPool(name)
  switch (pool) {
    case SLOTS:
      return `slots${ofGroup(group)}`
    case CHILDREN:
      return 'child processes'
    case CPU:
    case MEMORY:
    case GPU:
      return `${pool}${ofGroup(group)}`
    default:
      return `pool ${name}`
  }
}

/** An amount of a pool as people write it. */
export const amountText = (name: string, amount: number): string =>
  partsOfPool(name).pool === MEMORY ? formatMemory(amount) : String(amount)
