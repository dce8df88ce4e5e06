import type { ObjectiveStore } from '@/server/ports/objectives'
import { requireLimit } from '@/server/store/bounds'
import { copyOf } from './disk'
import type { MemoryDisk } from './disk'

const READ_MAX = 1_440

export function createMemoryObjectives({ objectives }: MemoryDisk): ObjectiveStore {
  const inOrder = () => [...objectives.values()].sort((a, b) => a.minute - b.minute)
  return {
    async list({ from, limit }) {
      const most = requireLimit(limit, READ_MAX)
      return copyOf(
        inOrder()
          .filter(({ minute }) => minute >= from)
          .slice(0, most),
      )
    },
    async first() {
      return inOrder()[0]?.minute ?? null
    },
    async put(minute) {
      objectives.set(minute.minute, copyOf(minute))
    },
    async prune(before) {
      for (const minute of objectives.keys()) if (minute < before) objectives.delete(minute)
    },
  }
}
