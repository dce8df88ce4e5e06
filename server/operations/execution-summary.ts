import type { ExecutionRow } from '@/server/ports/journal'
import { instant, instantOrNull } from './instant'

/** A row of the registry as lists show it (wire names). */
export function executionSummary(row: ExecutionRow) {
  return {
    execution_id: row.executionId,
    pipeline_id: row.pipelineId,
    revision: row.revision,
    status: row.status,
    lifecycle: row.lifecycle,
    priority: row.priority,
    labels: row.labels,
    requested_by: row.requestedBy,
    requested_by_id: row.requestedById,
    created_at: instant(row.createdAt),
    started_at: instantOrNull(row.startedAt),
    finished_at: instantOrNull(row.finishedAt),
    closed_at: instantOrNull(row.closedAt),
    next_wake_at: instantOrNull(row.nextWakeAt),
    error: row.error,
    waiting_for: row.waitingFor,
  }
}
