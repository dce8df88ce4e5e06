/** So much of a pool. Amounts are positive; slots and runs are counted in ones, cpu and memory in fractions. */
export type Demand = { readonly pool: string; readonly amount: number }

/** Why a demand does not fit: `full`; others wait for the pool already and come first; or it is more than the whole pool has. */
export type Shortage = {
  readonly pool: string
  readonly reason: 'full' | 'behind_others' | 'too_large'
  readonly amount: number
  readonly used: number
  readonly capacity: number
}

/** Attempts that work at the same time, over all executions (`PENSTOCK_MAX_CONCURRENT_TASKS`). */
export const SLOTS = 'slots'

/** Attempts that work in a child process at the same time: programs, scripts, queries and charts. */
export const CHILDREN = 'children'

/** What an attempt demands that works in the server. */
export const ONE_SLOT: readonly Demand[] = [{ pool: SLOTS, amount: 1 }]

/** What an attempt demands that works in a child process. */
export const ONE_CHILD: readonly Demand[] = [...ONE_SLOT, { pool: CHILDREN, amount: 1 }]

/** What ends in an instant, or is timed by the engine, demands. */
export const NOTHING_DEMANDED: readonly Demand[] = []

/** What an attempt may demand of the machines that do its work [H-6]; memory in bytes. */
export const CPU = 'cpu'
export const MEMORY = 'memory'
export const GPU = 'gpu'

/** Capacities that hold until somebody changes them [H-6]. */
export const DEFAULT_CAPACITIES: ReadonlyMap<string, number> = new Map([
  [SLOTS, 100],
  [CPU, 100],
  [MEMORY, 500 * 2 ** 30],
  [GPU, 10],
])

/** The worker group of nodes that name none. */
export const DEFAULT_GROUP = 'default'

/** A pool of a worker group; that of the default group has no prefix. */
export const groupPool = (group: string, pool: string): string =>
  group === DEFAULT_GROUP ? pool : `${group}.${pool}`

/** The worker group and the pool that a name stands for. */
export function partsOfPool(name: string): { readonly group: string; readonly pool: string } {
  const dot = name.indexOf('.')
  return dot < 0
    ? { group: DEFAULT_GROUP, pool: name }
    : { group: name.slice(0, dot), pool: name.slice(dot + 1) }
}

/** Pools that belong to a worker group, besides those that people name. */
export const GROUP_POOLS: readonly string[] = [SLOTS, CPU, MEMORY, GPU]

/** Whether a pool exists only where somebody made it: those with `:` come and go with what they limit. */
export const isConfigured = (name: string): boolean => !name.includes(':')

/** The sum of two amounts, which have three digits after the point at most: fractions leave no rest behind. */
export const sumOf = (a: number, b: number): number => Math.round((a + b) * 1_000) / 1_000

/** Runs of a pipeline at the same time (`policy.maxRunning`). Children demand none. */
export const runsPool = (pipelineId: string): string => `runs:${pipelineId}`

/** Items of a forEach at the same time (`concurrency`). */
export const itemsPool = (nodeId: string): string => `items:${nodeId}`
