import type { RunProfile } from '@/core/engine/timeline/run-profile'
import type { ExecutionRow } from './journal'

/** A closed run; `profile` is null where none is stored for its current journal. */
export type ProfiledRun = { readonly row: ExecutionRow; readonly profile: RunProfile | null }

/** Profiles of closed runs: made from the journal on request, stored beside it, and made again after a rerun. */
export interface RunProfileStore {
  /** The runs of a pipeline that were closed last, the latest first. Reads an index and one key a run. */
  latest(pipelineId: string, limit: number): Promise<readonly ProfiledRun[]>
  /** Keeps the profile that the journal up to and with `seq` gave; nothing when the run is gone. */
  keep(executionId: string, seq: number, profile: RunProfile): Promise<void>
}
