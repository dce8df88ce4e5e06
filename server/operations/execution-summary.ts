import type { ExecutionRow } from '@/server/ports/journal'
import { formatInstant, formatInstantOrNull } from '@/core/engine/instant'

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
    created_at: formatInstant(row.createdAt),
    started_at: formatInstantOrNull(row.startedAt),
    finished_at: formatInstantOrNull(row.finishedAt),
    closed_at: formatInstantOrNull(row.closedAt),
    next_wake_at: formatInstantOrNull(row.nextWakeAt),
    error: row.error,
    handled_failures: row.handledFailures,
    mocked: row.mocked,
    waiting_for: row.waitingFor,
    inputs_preview: row.inputs,
  }
}
