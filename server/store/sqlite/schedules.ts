import type { Prisma, PrismaClient, Schedule } from '@/generated/prisma/client'
import type { PlannedSchedule, ScheduleRow, ScheduleStore } from '@/server/ports/schedules'
import { requireLimit } from '@/server/store/bounds'
import { decodeCursor, pageOf } from '@/server/store/cursor'
import { scheduleOf } from '@/server/store/planned-schedule'
import type { WriteQueue } from './write-queue'

const LIST_MAX = 1_000

export function createSqliteSchedules(
  prisma: PrismaClient,
  queue: WriteQueue,
  tenantId: string,
): ScheduleStore {
  async function get(pipelineId: string, triggerId: string): Promise<ScheduleRow | null> {
    const row = await prisma.schedule.findUnique({ where: keyOf(tenantId, pipelineId, triggerId) })
    return row === null ? null : rowOf(row)
  }

  return {
    async list({ limit, cursor, pipelineId }) {
      requireLimit(limit, LIST_MAX)
      const [afterPipeline = '', afterTrigger = ''] =
        cursor === undefined ? [] : decodeCursor(cursor, ['string', 'string']).map(String)
      const rows = await prisma.schedule.findMany({
        where: {
          tenantId,
          ...(pipelineId === undefined ? {} : { pipelineId }),
          OR: [
            { pipelineId: { gt: afterPipeline } },
            { pipelineId: afterPipeline, triggerId: { gt: afterTrigger } },
          ],
        },
        orderBy: [{ pipelineId: 'asc' }, { triggerId: 'asc' }],
        take: limit + 1,
      })
      return pageOf(rows.map(rowOf), limit, (row) => [row.pipelineId, row.triggerId])
    },
    async due(now, limit) {
      const rows = await prisma.schedule.findMany({
        where: { tenantId, nextAt: { lte: BigInt(now) } },
        orderBy: [{ nextAt: 'asc' }, { pipelineId: 'asc' }, { triggerId: 'asc' }],
        take: requireLimit(limit, LIST_MAX),
      })
      return rows.map(rowOf)
    },
    async earliest() {
      const row = await prisma.schedule.findFirst({
        where: { tenantId, nextAt: { not: null } },
        orderBy: { nextAt: 'asc' },
        select: { nextAt: true },
      })
      return instant(row?.nextAt ?? null)
    },
    async fired({ pipelineId, triggerId, nextAt }, then) {
      const { count } = await queue.run(() =>
        prisma.schedule.updateMany({
          where: { tenantId, pipelineId, triggerId, nextAt: bigInstant(nextAt) },
          data: {
            nextAt: bigInstant(then.nextAt),
            lastAt: bigInstant(then.lastAt),
            lastExecutionId: then.lastExecutionId,
            lastError: then.lastError,
          },
        }),
      )
      return count === 1
    },
    async setNext(pipelineId, triggerId, nextAt) {
      await queue.run(() =>
        prisma.schedule.updateMany({
          where: { tenantId, pipelineId, triggerId },
          data: { active: nextAt !== null, nextAt: bigInstant(nextAt) },
        }),
      )
      return get(pipelineId, triggerId)
    },
    get,
  }
}

/** Brings the schedules of a pipeline in step with what its new revision declares, within the transaction that stores it. */
export async function keepSchedules(
  tx: Prisma.TransactionClient,
  tenantId: string,
  pipelineId: string,
  planned: readonly PlannedSchedule[],
): Promise<void> {
  const before = new Map(
    (await tx.schedule.findMany({ where: { tenantId, pipelineId } })).map((row) => [row.triggerId, row]),
  )
  const kept = planned.map(({ triggerId }) => triggerId)
  await tx.schedule.deleteMany({ where: { tenantId, pipelineId, triggerId: { notIn: kept } } })
  for (const one of planned) {
    const { triggerId } = one
    const there = before.get(triggerId)
    const { nextAt, ...rest } = scheduleOf(one, there === undefined ? null : rowOf(there))
    const columns = { ...rest, nextAt: bigInstant(nextAt) }
    await tx.schedule.upsert({
      where: keyOf(tenantId, pipelineId, triggerId),
      create: { tenantId, pipelineId, triggerId, ...columns },
      update: columns,
    })
  }
}

const keyOf = (tenantId: string, pipelineId: string, triggerId: string) => ({
  tenantId_pipelineId_triggerId: { tenantId, pipelineId, triggerId },
})

const instant = (at: bigint | null): number | null => (at === null ? null : Number(at))
const bigInstant = (at: number | null): bigint | null => (at === null ? null : BigInt(at))

function rowOf({ tenantId: _, nextAt, lastAt, ...row }: Schedule): ScheduleRow {
  return { ...row, nextAt: instant(nextAt), lastAt: instant(lastAt) }
}
