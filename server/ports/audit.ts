import type { Json } from '@/core/engine/event'

/** What somebody changed about the installation itself, recorded with the change. */
export type AuditRecord = {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** The name as it was shown. */
  readonly actor: string
  /** The id of that principal; null: of an earlier version. */
  readonly actorId: string | null
  /** `execution.removed`, `execution.repaired`, … Persisted words: chosen once, never renamed. */
  readonly action: string
  /** The id of what it was done to. */
  readonly subject: string
  readonly result: Json
}

/** Records are appended, never changed and never removed. */
export interface AuditLog {
  /** Resolves when the record is on disk. */
  append(record: AuditRecord): Promise<void>
  /** In the order in which they were appended, those after the first `after`. */
  read(range: { after?: number; limit: number }): Promise<AuditRecord[]>
}
