/** So much of a pool. Amounts are positive; slots and runs are counted in ones, cpu and memory in fractions. */
export type Demand = { readonly pool: string; readonly amount: number }

/** Why a demand does not fit: `full`, or others wait for the pool already and come first. */
export type Shortage = {
  readonly pool: string
  readonly reason: 'full' | 'behind_others'
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

/** Runs of a pipeline at the same time (`policy.maxRunning`). Children demand none. */
export const runsPool = (pipelineId: string): string => `runs:${pipelineId}`

/** Items of a forEach at the same time (`concurrency`). */
export const itemsPool = (nodeId: string): string => `items:${nodeId}`
