import type { ExecutionRow } from '@/server/ports/journal'
import type {
  ApprovalInbox,
  ClosedCount,
  ExecutionFilter,
  ExecutionRegistry,
  IdempotencyStore,
  PipelineRegistry,
  RevisionRow,
  StatisticsStore,
} from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { readCursor, pageOf } from '@/server/store/cursor'
import { searchTextOf, textOfExecution, wordsOf } from '@/server/store/search-text'
import { compareKeys, copyOf, keyOf } from './disk'
import type { MemoryDisk } from './disk'
import { keepSchedules } from './schedules'

const LIST_MAX = 1_000

export function createMemoryExecutions(disk: MemoryDisk): ExecutionRegistry {
  const rows = () => [...disk.executions.values()]
  const ageOf = (row: ExecutionRow) => [row.createdAt, row.executionId]
  const byId = (a: ExecutionRow, b: ExecutionRow) => compareKeys([a.executionId], [b.executionId])

  return {
    async get(executionId) {
      return copyOf(disk.executions.get(requireExecutionId(executionId)) ?? null)
    },
    async list(filter) {
      const limit = requireLimit(filter.limit, LIST_MAX)
      const before = filter.cursor === undefined ? null : readCursor(filter.cursor, ['number', 'string'])
      const found = rows()
        .filter((row) => matchesExecution(filter, row))
        .filter((row) => before === null || compareKeys(ageOf(row), before) < 0)
        .sort((a, b) => compareKeys(ageOf(b), ageOf(a)))
      return copyOf(pageOf(found, limit, ageOf))
    },
    async open(range) {
      const limit = requireLimit(range.limit, 10_000)
      const after = range.after ?? ''
      const found = rows().filter((row) => row.closedAt === null && row.executionId > after)
      return copyOf(found.sort(byId).slice(0, limit))
    },
    async due(now, limit) {
      const isDue = (row: ExecutionRow) =>
        row.closedAt === null && row.nextWakeAt !== null && row.nextWakeAt <= now
      const wakeOf = (row: ExecutionRow) => [row.nextWakeAt ?? 0, row.executionId]
      const found = rows().filter(isDue)
      const order = (a: ExecutionRow, b: ExecutionRow) => compareKeys(wakeOf(a), wakeOf(b))
      return copyOf(found.sort(order).slice(0, requireLimit(limit, 10_000)))
    },
    async countByStatus() {
      const counts = new Map<string, number>()
      for (const { status } of rows()) counts.set(status, (counts.get(status) ?? 0) + 1)
      return Object.fromEntries(counts)
    },
    async closedSince(from, sliceMs) {
      const counts = new Map<string, ClosedCount>()
      for (const { closedAt, status, handledFailures } of rows()) {
        if (closedAt === null || closedAt < from) continue
        const slice = Math.floor(closedAt / sliceMs)
        const key = keyOf(String(slice), status)
        const { count = 0, handled = 0 } = counts.get(key) ?? {}
        counts.set(key, { slice, status, count: count + 1, handled: handled + Number(handledFailures > 0) })
      }
      return [...counts.values()].sort((a, b) => compareKeys([a.slice, a.status], [b.slice, b.status]))
    },
    async openCountOf(pipelineId) {
      return rows().filter((row) => row.pipelineId === pipelineId && row.closedAt === null).length
    },
    async forksOf(executionId, limit) {
      const found = rows().filter(({ originId }) => originId === requireExecutionId(executionId))
      const newest = found.sort((a, b) => compareKeys(ageOf(b), ageOf(a)))
      return copyOf(newest.slice(0, requireLimit(limit, LIST_MAX)))
    },
  }
}

function matchesExecution(filter: ExecutionFilter, row: ExecutionRow): boolean {
  const { statuses, label, took } = filter
  const ms = (row.finishedAt ?? took?.now ?? 0) - (row.startedAt ?? row.createdAt)
  return (
    (filter.pipelineId === undefined || row.pipelineId === filter.pipelineId) &&
    (statuses === undefined || statuses.length === 0 || statuses.includes(row.status)) &&
    (filter.handledFailures === undefined || filter.handledFailures === row.handledFailures > 0) &&
    (filter.mocked === undefined || filter.mocked === row.mocked) &&
    (label === undefined ||
      (Object.hasOwn(row.labels, label.key) && row.labels[label.key] === label.value)) &&
    (filter.revision === undefined || row.revision === filter.revision) &&
    (filter.requestedBy === undefined || [row.requestedBy, row.requestedById].includes(filter.requestedBy)) &&
    wordsOf(filter.text ?? '').every((word) => textOfExecution(row).includes(word)) &&
    (took?.least === undefined || ms >= took.least) &&
    (took?.most === undefined || ms <= took.most) &&
    (filter.from === undefined || row.createdAt >= filter.from) &&
    (filter.to === undefined || row.createdAt <= filter.to)
  )
}

export function createMemoryIdempotency(disk: MemoryDisk): IdempotencyStore {
  return {
    async find(scope, key) {
      const found = disk.idempotency.get(keyOf(scope, key))
      if (found === undefined) return null
      const { executionId: _, ...record } = found
      return copyOf(record)
    },
    async save(record) {
      const key = keyOf(record.scope, record.key)
      if (disk.idempotency.has(key)) return false
      disk.idempotency.set(key, copyOf({ ...record, executionId: null }))
      return true
    },
  }
}

export function createMemoryStatistics(disk: MemoryDisk): StatisticsStore {
  return {
    async ofPipeline(pipelineId) {
      const found = [...disk.statistics.values()].filter((it) => it.pipelineId === pipelineId)
      return copyOf(found.sort((a, b) => compareKeys([a.nodeId], [b.nodeId])))
    },
  }
}

/** The longest waiting comes first. */
export function createMemoryApprovals(disk: MemoryDisk): ApprovalInbox {
  return {
    async pending(range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const shape = ['number', 'string', 'string'] as const
      const after = range.cursor === undefined ? null : readCursor(range.cursor, shape)
      const placeOf = (it: { openedAt: number; executionId: string; nodeId: string }) => [
        it.openedAt,
        it.executionId,
        it.nodeId,
      ]
      const found = [...disk.approvals.values()]
        .filter((it) => range.executionId === undefined || it.executionId === range.executionId)
        .filter((it) => after === null || compareKeys(placeOf(it), after) > 0)
        .sort((a, b) => compareKeys(placeOf(a), placeOf(b)))
      return copyOf(pageOf(found, limit, placeOf))
    },
    async count() {
      return disk.approvals.size
    },
  }
}

export function createMemoryPipelines(disk: MemoryDisk): PipelineRegistry {
  type NewPipeline = Parameters<PipelineRegistry['create']>[0]

  function append(pipeline: NewPipeline, createdAt: number): { revision: number } {
    const { pipelineId: id } = pipeline.revision
    const revisions = disk.revisions.get(id) ?? []
    const revision = (revisions.at(-1)?.revision ?? 0) + 1
    revisions.push(copyOf({ ...pipeline.revision, note: pipeline.revision.note ?? null, revision }))
    disk.revisions.set(id, revisions)
    const { name, description, labels } = pipeline
    const updatedAt = pipeline.revision.createdAt
    const row = { id, name, description, labels, revision, createdAt, updatedAt, deleted: false }
    disk.pipelines.set(id, copyOf(row))
    keepSchedules(disk, id, pipeline.schedules ?? [])
    removeDraft(pipeline)
    return { revision }
  }

  /** What was a draft of its author is published now. */
  function removeDraft({ revision }: NewPipeline): void {
    disk.drafts.delete(keyOf(String(revision.createdById), revision.pipelineId))
  }

  function living(id: string) {
    const row = disk.pipelines.get(id)
    return row === undefined || row.deleted ? null : row
  }

  return {
    async create(pipeline) {
      if (living(pipeline.revision.pipelineId) !== null) return 'exists'
      return append(pipeline, pipeline.revision.createdAt)
    },
    async update(pipeline, ifMatch) {
      const row = living(pipeline.revision.pipelineId)
      if (row === null) return 'missing'
      if (row.revision !== ifMatch) return { stale: row.revision }
      const current = disk.revisions.get(row.id)?.at(-1)
      if (current?.digest !== pipeline.revision.digest) return append(pipeline, row.createdAt)
      const { text } = pipeline.revision
      if (text !== null) disk.revisions.get(row.id)?.splice(-1, 1, { ...current, text })
      removeDraft(pipeline)
      return { revision: row.revision }
    },
    async get(id) {
      const row = living(id)
      if (row === null) return null
      const { deleted: _deleted, ...shown } = copyOf(row)
      return shown
    },
    async list(range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [after = ''] = range.cursor === undefined ? [] : readCursor(range.cursor, ['string'])
      const words = searchTextOf(range.search ?? '')
      const found = [...disk.pipelines.values()]
        .filter((row) => !row.deleted && row.id > String(after))
        .filter((row) => searchTextOf(row.id, row.name, row.description).includes(words))
        .sort((a, b) => compareKeys([a.id], [b.id]))
        .map(({ deleted: _deleted, ...shown }) => shown)
      return copyOf(pageOf(found, limit, (row) => [row.id]))
    },
    async revision(id, revision) {
      const revisions = disk.revisions.get(id) ?? []
      const found =
        revision === undefined ? revisions.at(-1) : revisions.find((it) => it.revision === revision)
      return copyOf(found ?? null)
    },
    async revisions(id, range) {
      const limit = requireLimit(range.limit, LIST_MAX)
      const [before = Infinity] = range.cursor === undefined ? [] : readCursor(range.cursor, ['number'])
      const found = (disk.revisions.get(id) ?? [])
        .filter((it) => it.revision < Number(before))
        .map(({ definition: _definition, text: _text, ...shown }: RevisionRow) => shown)
        .reverse()
      return copyOf(pageOf(found, limit, (row) => [row.revision]))
    },
    async remove(id) {
      const row = living(id)
      if (row === null) return false
      disk.pipelines.set(id, { ...row, deleted: true })
      keepSchedules(disk, id, [])
      return true
    },
  }
}
