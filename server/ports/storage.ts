export type StorageUse = {
  /** Bytes of the database that hold something, and of its log. */
  readonly databaseBytes: number
  readonly walBytes: number
  /** What the database may have; null: no limit. */
  readonly budgetBytes: number | null
  /** What the disk of the data folder has left; null where that is not known. */
  readonly diskFreeBytes: number | null
  readonly diskSizeBytes: number | null
  /** `near`: 80 % of the budget, or little left on the disk. `full`: nothing new is begun. */
  readonly level: 'ok' | 'near' | 'full'
}

export interface StorageGauge {
  use(): Promise<StorageUse>
}
