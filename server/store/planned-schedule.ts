import type { PlannedSchedule, ScheduleRow } from '@/server/ports/schedules'

/**
 * What a schedule is when a revision declares it: an unchanged time keeps its next instant, so that saving a pipeline neither loses nor
 * repeats a fire; what somebody switched stays so until the definition says something else.
 */
export function scheduleOf(
  planned: PlannedSchedule,
  before: ScheduleRow | null,
): Pick<ScheduleRow, 'cron' | 'timezone' | 'enabled' | 'active' | 'nextAt'> {
  const { cron, timezone, enabled } = planned
  const active = before !== null && before.enabled === enabled ? before.active : enabled
  const same = before !== null && before.active && before.cron === cron && before.timezone === timezone
  return { cron, timezone, enabled, active, nextAt: active ? (same ? before.nextAt : planned.nextAt) : null }
}
