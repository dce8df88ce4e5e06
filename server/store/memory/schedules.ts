import type { PlannedSchedule, ScheduleRow, ScheduleStore } from '@/server/ports/schedules'
import { requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { scheduleOf } from '@/server/store/planned-schedule'
import { copyOf, keyOf } from './disk'
import type { MemoryDisk } from './disk'

const LIST_MAX = 1_000

export function createMemorySchedules(disk: MemoryDisk): ScheduleStore {
  const byTime = (a: ScheduleRow, b: ScheduleRow) => (a.nextAt ?? 0) - (b.nextAt ?? 0) || byName(a, b)
  const timed = () => [...disk.schedules.values()].filter((row) => row.nextAt !== null).sort(byTime)

  return {
    async list({ limit, cursor, pipelineId }) {
      requireLimit(limit, LIST_MAX)
      const [afterPipeline = '', afterTrigger = ''] =
        cursor === undefined ? [] : readCursor(cursor, ['string', 'string']).map(String)
      const after = { pipelineId: afterPipeline, triggerId: afterTrigger }
      const found = [...disk.schedules.values()]
        .filter((row) => pipelineId === undefined || row.pipelineId === pipelineId)
        .filter((row) => byName(row, after) > 0)
        .sort(byName)
      return copyOf(pageOf(found, limit, (row) => [row.pipelineId, row.triggerId]))
    },
    async due(now, limit) {
      requireLimit(limit, LIST_MAX)
      return copyOf(
        timed()
          .filter((row) => (row.nextAt ?? Infinity) <= now)
          .slice(0, limit),
      )
    },
    async earliest() {
      return timed()[0]?.nextAt ?? null
    },
    async fired({ pipelineId, triggerId, nextAt }, then) {
      const key = keyOf(pipelineId, triggerId)
      const row = disk.schedules.get(key)
      if (row === undefined || row.nextAt !== nextAt) return false
      disk.schedules.set(key, copyOf({ ...row, ...then }))
      return true
    },
    async setNext(pipelineId, triggerId, nextAt) {
      const key = keyOf(pipelineId, triggerId)
      const row = disk.schedules.get(key)
      if (row === undefined) return null
      disk.schedules.set(key, { ...row, active: nextAt !== null, nextAt })
      return copyOf(disk.schedules.get(key) ?? null)
    },
    async get(pipelineId, triggerId) {
      return copyOf(disk.schedules.get(keyOf(pipelineId, triggerId)) ?? null)
    },
  }
}

type Name = Pick<ScheduleRow, 'pipelineId' | 'triggerId'>

function byName(a: Name, b: Name): number {
  if (a.pipelineId !== b.pipelineId) return a.pipelineId < b.pipelineId ? -1 : 1
  return a.triggerId === b.triggerId ? 0 : a.triggerId < b.triggerId ? -1 : 1
}

/** Brings the schedules of a pipeline in step with what its new revision declares. */
export function keepSchedules(
  disk: MemoryDisk,
  pipelineId: string,
  planned: readonly PlannedSchedule[],
): void {
  const before = [...disk.schedules.values()].filter((row) => row.pipelineId === pipelineId)
  for (const { triggerId } of before) disk.schedules.delete(keyOf(pipelineId, triggerId))
  for (const one of planned) {
    const { triggerId } = one
    const there = before.find((row) => row.triggerId === triggerId) ?? null
    const last = { lastAt: null, lastExecutionId: null, lastError: null }
    const row = { ...last, ...there, pipelineId, triggerId, ...scheduleOf(one, there) }
    disk.schedules.set(keyOf(pipelineId, triggerId), copyOf(row))
  }
}
