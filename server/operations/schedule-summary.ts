import type { ScheduleRow } from '@/server/ports/schedules'
import { formatInstantOrNull } from '@/core/engine/instant'

/** A schedule as the wire shows it. */
export function scheduleSummary(row: ScheduleRow) {
  return {
    pipeline_id: row.pipelineId,
    trigger_id: row.triggerId,
    cron: row.cron,
    timezone: row.timezone,
    active: row.active,
    next_at: formatInstantOrNull(row.nextAt),
    last_at: formatInstantOrNull(row.lastAt),
    last_execution_id: row.lastExecutionId,
    last_error: row.lastError,
  }
}
