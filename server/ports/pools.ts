/** How much somebody said that there is of a pool. */
export type PoolRow = {
  readonly name: string
  /** At most this much is held at once; memory in bytes. */
  readonly capacity: number
  /** Milliseconds since the epoch. */
  readonly updatedAt: number
  /** The name as it was shown, and the id of that principal. */
  readonly updatedBy: string
  readonly updatedById: string | null
}

/** The pools that people set; those that are absent have their usual capacity, or do not exist. */
export interface PoolRows {
  /** By name. */
  list(): Promise<PoolRow[]>
  /** Creates or replaces. Resolves when durable. */
  put(row: PoolRow): Promise<void>
  /** False when there is none. */
  remove(name: string): Promise<boolean>
}
