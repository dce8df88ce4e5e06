import type { ArtifactRows } from '@/server/ports/artifacts'
import type { AttemptRecords, LogStore } from '@/server/ports/registry'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { storedLine, LOG_READ_MAX } from '@/server/store/log-lines'
import { copyOf, keyOf } from './disk'
import type { MemoryDisk } from './disk'

export function createMemoryLogs(disk: MemoryDisk): LogStore {
  return {
    async append(lines) {
      for (const line of lines) requireExecutionId(line.executionId)
      for (const line of lines) {
        const key = keyOf(line.executionId, line.nodeId)
        const stored = disk.logs.get(key) ?? []
        const kept = storedLine(line, stored.length + 1)
        if (kept !== null) stored.push(copyOf(kept))
        disk.logs.set(key, stored)
      }
    },
    async read(executionId, nodeId, range) {
      const limit = requireLimit(range.limit, LOG_READ_MAX)
      const after = range.after ?? 0
      const lines = disk.logs.get(keyOf(requireExecutionId(executionId), nodeId)) ?? []
      return copyOf(
        lines
          .filter((line) => line.n > after)
          .filter((line) => range.attempt === undefined || line.attempt === range.attempt)
          .filter((line) => range.item === undefined || line.item === range.item)
          .slice(0, limit),
      )
    },
  }
}

export function createMemoryAttemptRecords(disk: MemoryDisk): AttemptRecords {
  return {
    async refused(result) {
      const key = keyOf(result.executionId, result.nodeId)
      const stored = disk.refused.get(key) ?? []
      stored.push(copyOf(result))
      disk.refused.set(key, stored)
    },
    async listRefused(executionId, nodeId) {
      return copyOf((disk.refused.get(keyOf(requireExecutionId(executionId), nodeId)) ?? []).slice(0, 1_000))
    },
  }
}

export function createMemoryArtifactRows(disk: MemoryDisk): ArtifactRows {
  const rowsOf = (executionId: string) => disk.artifacts.get(requireExecutionId(executionId)) ?? []
  return {
    async insert(row) {
      const rows = rowsOf(row.executionId)
      if (rows.some(({ artifactId }) => artifactId === row.artifactId)) return
      disk.artifacts.set(row.executionId, [...rows, copyOf(row)])
    },
    async get(executionId, artifactId) {
      return copyOf(rowsOf(executionId).find((row) => row.artifactId === artifactId) ?? null)
    },
    async list(executionId) {
      const inOrder = [...rowsOf(executionId)].sort(
        (a, b) => a.createdAt - b.createdAt || (a.artifactId < b.artifactId ? -1 : 1),
      )
      return copyOf(inOrder)
    },
    async isUsed(digest) {
      return [...disk.artifacts.values()].some((rows) => rows.some((row) => row.digest === digest))
    },
  }
}
