import type { PoolRows } from '@/server/ports/pools'
import { copyOf } from './disk'
import type { MemoryDisk } from './disk'

export function createMemoryPools(disk: MemoryDisk): PoolRows {
  return {
    async list() {
      return [...disk.pools.values()].map(copyOf).sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async put(row) {
      disk.pools.set(row.name, copyOf(row))
    },
    async remove(name) {
      return disk.pools.delete(name)
    },
  }
}
