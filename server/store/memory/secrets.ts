import type { SecretRows } from '@/server/ports/secrets'
import { copyOf } from './disk'
import type { MemoryDisk } from './disk'

export function createMemorySecretRows(disk: MemoryDisk): SecretRows {
  return {
    async find(name) {
      return copyOf(disk.secrets.get(name) ?? null)
    },
    async put(row) {
      const createdAt = disk.secrets.get(row.name)?.createdAt ?? row.updatedAt
      disk.secrets.set(row.name, copyOf({ ...row, createdAt }))
    },
    async list() {
      return [...disk.secrets.values()]
        .map(({ sealed: _, ...row }) => copyOf(row))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
    },
    async remove(name) {
      return disk.secrets.delete(name)
    },
  }
}
