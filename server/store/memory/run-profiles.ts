import type { RunProfileStore } from '@/server/ports/run-profiles'
import { requireExecutionId, requireLimit } from '@/server/store/bounds'
import { compareKeys, copyOf } from './disk'
import type { MemoryDisk } from './disk'

const LATEST_MAX = 250

export function createMemoryRunProfiles(disk: MemoryDisk): RunProfileStore {
  return {
    async latest(pipelineId, limit) {
      const closed = [...disk.executions.values()]
        .filter((row) => row.pipelineId === pipelineId && row.closedAt !== null)
        .sort((a, b) => compareKeys([b.closedAt ?? 0, b.executionId], [a.closedAt ?? 0, a.executionId]))
      return copyOf(
        closed.slice(0, requireLimit(limit, LATEST_MAX)).map((row) => {
          const found = disk.profiles.get(row.executionId)
          const isWhole = found?.seq === disk.journals.get(row.executionId)?.length
          return { row, profile: found !== undefined && isWhole ? found.profile : null }
        }),
      )
    },
    async keep(executionId, seq, profile) {
      if (disk.executions.has(requireExecutionId(executionId)))
        disk.profiles.set(executionId, copyOf({ seq, profile }))
    },
  }
}
