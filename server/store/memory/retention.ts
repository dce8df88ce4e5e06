import type { Retention } from '@/server/ports/retention'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import type { MemoryDisk } from './disk'

const EXPIRED_MAX = 1_000

/** Removal on a disk of maps: one execution a step. */
export function createMemoryRetention(disk: MemoryDisk): Retention {
  function removable() {
    return [...disk.executions.values()]
      .filter((row) => row.parentId === null || !disk.executions.has(row.parentId))
      .flatMap(({ executionId, closedAt }) => (closedAt === null ? [] : [{ executionId, closedAt }]))
      .sort((a, b) => a.closedAt - b.closedAt || (a.executionId < b.executionId ? -1 : 1))
  }

  function take(executionId: string): void {
    disk.executions.delete(executionId)
    disk.journals.get(executionId)?.pop()
    disk.removals.executions.add(executionId)
  }

  function removeOf(executionId: string): void {
    const own = (key: string) => (JSON.parse(key) as string[])[0] === executionId
    disk.journals.delete(executionId)
    for (const byNode of [disk.approvals, disk.logs, disk.refused]) {
      for (const key of byNode.keys()) if (own(key)) byNode.delete(key)
    }
    for (const [key, record] of disk.idempotency) {
      if (record.executionId === executionId) disk.idempotency.delete(key)
    }
    for (const [key, row] of disk.deliveries) if (row.executionId === executionId) disk.deliveries.delete(key)
    for (const { digest } of disk.artifacts.get(executionId) ?? []) disk.removals.contents.add(digest)
    disk.artifacts.delete(executionId)
    disk.profiles.delete(executionId)
  }

  return {
    async expired(closedBy, limit) {
      const found = removable().filter(({ closedAt }) => closedAt <= closedBy)
      return found.slice(0, requireLimit(limit, EXPIRED_MAX)).map(({ executionId }) => executionId)
    },
    async nextClosedAt(closedAfter) {
      return removable().find(({ closedAt }) => closedAt > closedAfter)?.closedAt ?? null
    },
    async begin(executionId, { evenOpen } = { evenOpen: false }) {
      const row = disk.executions.get(requireExecutionId(executionId))
      if (row === undefined) return 'missing'
      if (row.parentId !== null && disk.executions.has(row.parentId)) return 'child'
      if (row.closedAt === null && !evenOpen) return 'open'
      take(executionId)
      return 'begun'
    },
    async abandon(executionId) {
      if (!disk.executions.has(requireExecutionId(executionId))) disk.removals.executions.add(executionId)
    },
    async step() {
      const [executionId] = disk.removals.executions
      if (executionId === undefined) return null
      const children = [...disk.executions.values()]
        .filter((row) => row.parentId === executionId && row.closedAt !== null)
        .map((row) => row.executionId)
      for (const child of children) take(child)
      removeOf(executionId)
      disk.removals.executions.delete(executionId)
      return children
    },
    async unusedContents(limit) {
      return [...disk.removals.contents].slice(0, requireLimit(limit, EXPIRED_MAX))
    },
    compact: async () => false,
    async settleContent(digest) {
      disk.removals.contents.delete(digest)
    },
  }
}
