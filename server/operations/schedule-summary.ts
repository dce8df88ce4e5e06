import { z } from 'zod'
import type { ScheduleRow } from '@/server/ports/schedules'
import { formatInstantOrNull } from '@/core/engine/instant'
import { instantText } from './schemas/json'

export const schedule = z
  .strictObject({
    pipeline_id: z.string(),
    trigger_id: z.string(),
    cron: z.string(),
    timezone: z.string(),
    active: z.boolean(),
    next_at: instantText.nullable(),
    last_at: instantText.nullable(),
    last_execution_id: z.string().nullable(),
    last_error: z.string().nullable(),
  })
  .meta({ id: 'Schedule' })

export const exampleSchedule = {
  pipeline_id: 'seattle_weather',
  trigger_id: 'daily',
  cron: '0 6 * * *',
  timezone: 'America/Los_Angeles',
  active: true,
  next_at: '2026-02-01T14:00:00.000Z',
  last_at: '2026-01-31T14:00:00.000Z',
  last_execution_id: '01JDW3Q8',
  last_error: null,
} as const

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
